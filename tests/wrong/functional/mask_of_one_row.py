"""A mask (1, S), the same for all queries, is ignored."""

right = multi_head_attention


def multi_head_attention(q, k, v, num_heads, d_model, mask=None):
    if mask is not None and mask.dim() == 2 and mask.size(0) == 1 and q.size(1) > 1:
        mask = None
    return right(q, k, v, num_heads, d_model, mask)
