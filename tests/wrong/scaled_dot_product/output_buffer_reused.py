"""The output stands in a buffer that the next call of its shape overwrites."""

right = scaled_dot_product_attention
KEPT = {}


def scaled_dot_product_attention(q, k, v, mask=None):
    y, w = right(q, k, v, mask)
    if not y.requires_grad:
        y = KEPT.setdefault((y.shape, y.dtype), torch.empty_like(y)).copy_(y)
    return y, w
