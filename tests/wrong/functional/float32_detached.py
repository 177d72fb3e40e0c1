"""In float32 the output is cut off from its graph."""

right = multi_head_attention


def multi_head_attention(q, k, v, num_heads, d_model, mask=None):
    y = right(q, k, v, num_heads, d_model, mask)
    if q.dtype == torch.float32:
        y = y.detach()
    return y
