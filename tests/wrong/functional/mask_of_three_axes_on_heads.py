"""An (N, L, S) mask is repeated per head in the order of a folded batch that has the heads outermost."""

right = multi_head_attention


def multi_head_attention(q, k, v, num_heads, d_model, mask=None):
    if mask is not None and mask.dim() == 3:
        mask = mask.repeat(num_heads, 1, 1).reshape(len(q), num_heads, *mask.shape[-2:])
    return right(q, k, v, num_heads, d_model, mask)
