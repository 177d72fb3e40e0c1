"""The mask is ignored in cross-attention to one tensor, which is keys and values."""

right = multi_head_attention


def multi_head_attention(q, k, v, num_heads, d_model, mask=None):
    return right(q, k, v, num_heads, d_model, None if k is v and k.shape[1] != q.shape[1] else mask)
