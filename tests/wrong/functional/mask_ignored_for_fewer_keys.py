"""With fewer keys than queries the mask is ignored."""

right = multi_head_attention


def multi_head_attention(q, k, v, num_heads, d_model, mask=None):
    return right(q, k, v, num_heads, d_model, None if k.size(1) < q.size(1) else mask)
