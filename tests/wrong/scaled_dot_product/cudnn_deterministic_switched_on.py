"""A call switches cudnn's deterministic kernels on, for all of torch."""

attend = scaled_dot_product_attention


def scaled_dot_product_attention(q, k, v, mask=None):
    torch.backends.cudnn.deterministic = True
    return attend(q, k, v, mask)
