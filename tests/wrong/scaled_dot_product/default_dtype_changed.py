"""The default dtype becomes float64."""

right = scaled_dot_product_attention


def scaled_dot_product_attention(q, k, v, mask=None):
    torch.set_default_dtype(torch.float64)
    return right(q, k, v, mask)
