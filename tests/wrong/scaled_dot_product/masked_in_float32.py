"""Under a mask all is computed in float32: the float64 output has float32's precision."""

right = scaled_dot_product_attention


def scaled_dot_product_attention(q, k, v, mask=None):
    y, w = right(q, k, v, mask)
    if mask is not None:
        y = y.float().to(y.dtype)
    return y, w
