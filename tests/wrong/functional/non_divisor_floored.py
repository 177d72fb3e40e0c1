"""E is divided by H and rounded down, and the width of the heads' answers is padded."""

right = multi_head_attention


def multi_head_attention(q, k, v, num_heads, d_model, mask=None):
    while d_model % num_heads:
        num_heads -= 1
    return right(q, k, v, num_heads, d_model, mask)
