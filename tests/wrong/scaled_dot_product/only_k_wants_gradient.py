"""Where k alone wants a gradient, it gets none."""

right = scaled_dot_product_attention


def scaled_dot_product_attention(q, k, v, mask=None):
    y, w = right(q, k, v, mask)
    if k.requires_grad and sum(t.requires_grad for t in (q, k, v)) == 1:
        y = y.detach()
    return y, w
