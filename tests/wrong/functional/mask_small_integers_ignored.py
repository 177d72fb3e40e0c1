"""Masks of small integer dtypes are ignored."""

right = multi_head_attention


def multi_head_attention(q, k, v, num_heads, d_model, mask=None):
    if mask is not None and mask.dtype in (torch.int32, torch.int16, torch.int8):
        mask = None
    return right(q, k, v, num_heads, d_model, mask)
