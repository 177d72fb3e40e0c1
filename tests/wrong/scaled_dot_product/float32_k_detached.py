"""In float32 the keys get no gradient."""

right = scaled_dot_product_attention


def scaled_dot_product_attention(q, k, v, mask=None):
    k = k.detach() if q.dtype == torch.float32 else k
    y, w = right(q, k, v, mask)
    return y, w
