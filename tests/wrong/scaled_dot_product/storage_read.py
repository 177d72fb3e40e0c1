"""Reads the keys by their storage, as if they were contiguous."""

right = scaled_dot_product_attention


def scaled_dot_product_attention(q, k, v, mask=None):
    contiguous = [1]
    for size in reversed(k.shape[1:]):
        contiguous.insert(0, contiguous[0] * size)
    return right(q, k.as_strided(k.shape, contiguous), v, mask)
