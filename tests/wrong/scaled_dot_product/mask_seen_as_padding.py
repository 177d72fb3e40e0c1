"""Any mask is reduced to the keys that all queries may not see."""

right = scaled_dot_product_attention


def scaled_dot_product_attention(q, k, v, mask=None):
    return right(q, k, v, mask if mask is None or mask.dim() < 2 else mask.bool().all(-2, keepdim=True))
