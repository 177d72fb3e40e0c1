"""A mask (1, H, L, S) is cut to its first head."""

right = multi_head_attention


def multi_head_attention(q, k, v, num_heads, d_model, mask=None):
    if mask is not None and mask.dim() == 4 and len(mask) == 1:
        mask = mask[:, 0]
    return right(q, k, v, num_heads, d_model, mask)
