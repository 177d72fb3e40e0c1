"""A square mask is transposed."""

right = scaled_dot_product_attention


def scaled_dot_product_attention(q, k, v, mask=None):
    if mask is not None and mask.dim() > 1 and mask.size(-1) == mask.size(-2):
        mask = mask.mT
    return right(q, k, v, mask)
