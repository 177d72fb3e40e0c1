"""A mask over the keys alone, (S,), is ignored."""

right = scaled_dot_product_attention


def scaled_dot_product_attention(q, k, v, mask=None):
    return right(q, k, v, None if mask is not None and mask.dim() < 2 else mask)
