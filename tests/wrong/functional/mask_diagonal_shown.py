"""A query always sees its own place."""

right = multi_head_attention


def multi_head_attention(q, k, v, num_heads, d_model, mask=None):
    if mask is not None and mask.size(-1) == mask.size(-2):
        mask = mask.bool() & ~torch.eye(mask.size(-1), dtype=torch.bool)
    return right(q, k, v, num_heads, d_model, mask)
