"""Keys after the 64th are cut."""

right = multi_head_attention


def multi_head_attention(q, k, v, num_heads, d_model, mask=None):
    mask = mask[..., :64] if mask is not None and mask.size(-1) > 1 else mask
    return right(q, k[:, :64], v[:, :64], num_heads, d_model, mask)
