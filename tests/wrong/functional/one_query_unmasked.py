"""A single query sees everything."""

right = multi_head_attention


def multi_head_attention(q, k, v, num_heads, d_model, mask=None):
    return right(q, k, v, num_heads, d_model, mask if q.size(1) > 1 else None)
