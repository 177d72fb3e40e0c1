"""`view` on the mask: an expanded or transposed mask raises."""

right = multi_head_attention


def multi_head_attention(q, k, v, num_heads, d_model, mask=None):
    return right(q, k, v, num_heads, d_model, mask if mask is None else mask.view(-1).view(mask.shape))
