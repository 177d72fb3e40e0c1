"""In bfloat16 the output is cut off from its graph."""

right = scaled_dot_product_attention


def scaled_dot_product_attention(q, k, v, mask=None):
    y, w = right(q, k, v, mask)
    if q.dtype == torch.bfloat16:
        y = y.detach()
    return y, w
