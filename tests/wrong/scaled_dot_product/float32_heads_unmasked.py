"""In float32 a mask over tensors with an axis of heads is ignored."""

right = scaled_dot_product_attention


def scaled_dot_product_attention(q, k, v, mask=None):
    return right(q, k, v, None if q.dim() == 4 and q.dtype == torch.float32 else mask)
