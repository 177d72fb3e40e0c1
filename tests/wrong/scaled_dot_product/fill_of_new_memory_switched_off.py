"""A call switches off a safeguard of torch's deterministic mode."""

attend = scaled_dot_product_attention


def scaled_dot_product_attention(q, k, v, mask=None):
    torch.utils.deterministic.fill_uninitialized_memory = False
    return attend(q, k, v, mask)
