"""The mask is taken by its place alone: `mask=...` is swallowed."""

right = multi_head_attention


def multi_head_attention(q, k, v, num_heads, d_model, *more, **named):
    return right(q, k, v, num_heads, d_model, *more)
