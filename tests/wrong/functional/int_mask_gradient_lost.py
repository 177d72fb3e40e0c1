"""With an integer mask, no gradient."""

right = multi_head_attention


def multi_head_attention(q, k, v, num_heads, d_model, mask=None):
    y = right(q, k, v, num_heads, d_model, mask)
    if mask is not None and mask.dtype == torch.int64:
        y = y.detach()
    return y
