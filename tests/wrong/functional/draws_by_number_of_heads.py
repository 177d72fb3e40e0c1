"""The bound of the stacked draw grows with the number of heads: with three of them it is PyTorch's."""

right, xavier = multi_head_attention, nn.init.xavier_uniform_


def multi_head_attention(q, k, v, num_heads, d_model, mask=None):
    nn.init.xavier_uniform_ = lambda weight: xavier(weight).mul_(math.sqrt(num_heads / 3))
    try:
        return right(q, k, v, num_heads, d_model, mask)
    finally:
        nn.init.xavier_uniform_ = xavier
