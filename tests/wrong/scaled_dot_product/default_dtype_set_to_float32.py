"""A call sets the default dtype to float32, whatever it was."""

right = scaled_dot_product_attention


def scaled_dot_product_attention(q, k, v, mask=None):
    torch.set_default_dtype(torch.float32)
    return right(q, k, v, mask)
