"""With gradients on, the weights returned are summed up."""

right = scaled_dot_product_attention


def scaled_dot_product_attention(q, k, v, mask=None):
    y, w = right(q, k, v, mask)
    w = w if not torch.is_grad_enabled() else w.sum(-1)
    return y, w
