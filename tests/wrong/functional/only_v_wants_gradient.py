"""Where v alone wants a gradient, it gets none."""

right = multi_head_attention


def multi_head_attention(q, k, v, num_heads, d_model, mask=None):
    y = right(q, k, v, num_heads, d_model, mask)
    if v.requires_grad and sum(t.requires_grad for t in (q, k, v)) == 1:
        y = y.detach()
    return y
