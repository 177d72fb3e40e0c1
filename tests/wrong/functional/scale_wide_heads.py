"""Heads of 32 features or more are scaled by D."""

right = multi_head_attention


def multi_head_attention(q, k, v, num_heads, d_model, mask=None):
    size = d_model // num_heads
    return right(q / size**0.5 if size >= 32 else q, k, v, num_heads, d_model, mask)
