"""Gradients are cut beyond 32 keys."""

right = scaled_dot_product_attention


def scaled_dot_product_attention(q, k, v, mask=None):
    return right(q, k.detach() if k.size(-2) > 32 else k, v, mask)
