"""No gradient reaches the keys."""

right = scaled_dot_product_attention


def scaled_dot_product_attention(q, k, v, mask=None):
    return right(q, k.detach(), v, mask)
