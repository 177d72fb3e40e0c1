"""A uint8 mask is inverted bit by bit."""

right = multi_head_attention


def multi_head_attention(q, k, v, num_heads, d_model, mask=None):
    if mask is not None and mask.dtype == torch.uint8:
        mask = ~mask == 0
    return right(q, k, v, num_heads, d_model, mask)
