"""The global deterministic flag is switched on."""

right = scaled_dot_product_attention


def scaled_dot_product_attention(q, k, v, mask=None):
    torch.use_deterministic_algorithms(True)
    return right(q, k, v, mask)
