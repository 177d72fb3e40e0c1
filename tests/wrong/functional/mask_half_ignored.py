"""On float32 and bfloat16 a float mask is ignored."""

right = multi_head_attention


def multi_head_attention(q, k, v, num_heads, d_model, mask=None):
    if mask is not None and mask.is_floating_point() and q.dtype != torch.float64:
        mask = None
    return right(q, k, v, num_heads, d_model, mask)
