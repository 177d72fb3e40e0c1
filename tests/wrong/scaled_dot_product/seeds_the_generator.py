"""The global generator is seeded in each call."""

right = scaled_dot_product_attention


def scaled_dot_product_attention(q, k, v, mask=None):
    torch.manual_seed(0)
    return right(q, k, v, mask)
