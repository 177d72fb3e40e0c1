"""The 17th sequence and later ones share the first one's mask."""

right = multi_head_attention


def multi_head_attention(q, k, v, num_heads, d_model, mask=None):
    if mask is not None and mask.dim() > 2 and len(mask) > 16:
        mask = torch.cat([mask[:16], mask[:1].expand(len(mask) - 16, *mask.shape[1:])])
    return right(q, k, v, num_heads, d_model, mask)
