"""An int32 mask whose queries are broadcast is ignored."""

right = scaled_dot_product_attention


def scaled_dot_product_attention(q, k, v, mask=None):
    if mask is not None and mask.dtype == torch.int32 and mask.dim() > 2 and mask.shape[-2] == 1:
        mask = None
    y, w = right(q, k, v, mask)
    return y, w
