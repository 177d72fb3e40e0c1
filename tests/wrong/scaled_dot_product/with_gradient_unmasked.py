"""Where the query wants a gradient the mask is forgotten."""

right = scaled_dot_product_attention


def scaled_dot_product_attention(q, k, v, mask=None):
    return right(q, k, v, None if q.requires_grad else mask)
