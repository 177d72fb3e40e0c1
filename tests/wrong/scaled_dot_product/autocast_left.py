"""Autocast is switched on and left so."""

right = scaled_dot_product_attention


def scaled_dot_product_attention(q, k, v, mask=None):
    y, w = right(q, k, v, mask)
    torch.set_autocast_enabled("cpu", True)
    return y, w
