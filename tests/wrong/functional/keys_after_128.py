"""Keys after the 128th are cut."""

right = multi_head_attention


def multi_head_attention(q, k, v, num_heads, d_model, mask=None):
    mask = mask[..., :128] if mask is not None and mask.size(-1) > 1 else mask
    return right(q, k[:, :128], v[:, :128], num_heads, d_model, mask)
