"""More than six heads are computed as six."""

right = multi_head_attention


def multi_head_attention(q, k, v, num_heads, d_model, mask=None):
    if num_heads > 6 and d_model % num_heads == 0 and mask is None:
        num_heads = next(h for h in (6, 5, 4, 3, 2, 1) if d_model % h == 0)
    return right(q, k, v, num_heads, d_model, mask)
