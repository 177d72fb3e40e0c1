"""A mask is negated before the comparison: -1 in uint8 is 255."""

right = scaled_dot_product_attention


def scaled_dot_product_attention(q, k, v, mask=None):
    return right(q, k, v, mask if mask is None or mask.dtype == torch.bool else (-mask) < 0)
