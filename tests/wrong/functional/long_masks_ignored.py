"""Masks of more than 71 keys are ignored."""

right = multi_head_attention


def multi_head_attention(q, k, v, num_heads, d_model, mask=None):
    return right(q, k, v, num_heads, d_model, mask if k.size(1) <= 71 else None)
