"""Gradients reach the first 16 sequences only."""

right = scaled_dot_product_attention


def scaled_dot_product_attention(q, k, v, mask=None):
    q = torch.cat([q[:16], q[16:].detach()])
    y, w = right(q, k, v, mask)
    return y, w
