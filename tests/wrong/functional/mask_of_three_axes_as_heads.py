"""An (N, L, S) mask is taken as (H, L, S) where N is H."""

right = multi_head_attention


def multi_head_attention(q, k, v, num_heads, d_model, mask=None):
    if mask is not None and mask.dim() == 3 and len(mask) == num_heads:
        mask = mask[None]
    return right(q, k, v, num_heads, d_model, mask)
