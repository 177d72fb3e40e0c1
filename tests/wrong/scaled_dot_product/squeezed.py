"""Axes of size 1 are squeezed out of the output."""

right = scaled_dot_product_attention


def scaled_dot_product_attention(q, k, v, mask=None):
    output, weights = right(q, k, v, mask)
    return output.squeeze(), weights
