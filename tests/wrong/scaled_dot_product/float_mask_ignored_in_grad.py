"""With gradients on, a float mask is ignored."""

right = scaled_dot_product_attention


def scaled_dot_product_attention(q, k, v, mask=None):
    if mask is not None and mask.is_floating_point() and torch.is_grad_enabled():
        mask = None
    y, w = right(q, k, v, mask)
    return y, w
