"""No gradient reaches v."""

right = multi_head_attention


def multi_head_attention(q, k, v, num_heads, d_model, mask=None):
    return right(q, k, v.detach(), num_heads, d_model, mask)
