"""A uint8 mask with two axes is ignored."""

right = multi_head_attention


def multi_head_attention(q, k, v, num_heads, d_model, mask=None):
    if mask is not None and mask.dtype == torch.uint8 and mask.dim() == 2:
        mask = None
    return right(q, k, v, num_heads, d_model, mask)
