"""Keys after the 256th are forgotten."""

right = scaled_dot_product_attention


def scaled_dot_product_attention(q, k, v, mask=None):
    late = torch.arange(k.size(-2)) >= 256
    return right(q, k, v, late if mask is None else late | mask.bool())
