"""The mask is ignored where the values are narrower than the keys."""

right = scaled_dot_product_attention


def scaled_dot_product_attention(q, k, v, mask=None):
    return right(q, k, v, None if v.shape[-1] < k.shape[-1] else mask)
