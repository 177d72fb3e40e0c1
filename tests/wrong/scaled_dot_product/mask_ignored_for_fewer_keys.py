"""With fewer keys than queries the mask is ignored."""

right = scaled_dot_product_attention


def scaled_dot_product_attention(q, k, v, mask=None):
    return right(q, k, v, None if k.size(-2) < q.size(-2) else mask)
