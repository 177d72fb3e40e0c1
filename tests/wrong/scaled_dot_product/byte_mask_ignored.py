"""A uint8 mask is taken as none."""

right = scaled_dot_product_attention


def scaled_dot_product_attention(q, k, v, mask=None):
    return right(q, k, v, None if mask is not None and mask.dtype == torch.uint8 else mask)
