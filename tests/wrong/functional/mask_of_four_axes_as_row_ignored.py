"""A mask (1, 1, 1, S), one row for all, is ignored."""

right = multi_head_attention


def multi_head_attention(q, k, v, num_heads, d_model, mask=None):
    if mask is not None and mask.shape[:-1] == (1, 1, 1):
        mask = None
    return right(q, k, v, num_heads, d_model, mask)
