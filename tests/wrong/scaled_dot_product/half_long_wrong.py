"""In bfloat16 more than 16 queries get the last one's answer."""

right = scaled_dot_product_attention


def scaled_dot_product_attention(q, k, v, mask=None):
    y, w = right(q, k, v, mask)
    if y.dtype == torch.bfloat16 and y.shape[-2] > 16:
        y = y[..., -1:, :].expand_as(y)
    return y, w
