"""In float32 and bfloat16 a row that may see nothing gives NaN."""

right = multi_head_attention


def multi_head_attention(q, k, v, num_heads, d_model, mask=None):
    y = right(q, k, v, num_heads, d_model, mask)
    if y.dtype != torch.float64 and mask is not None and (y == 0).all(-1).any():
        y = y.masked_fill((y == 0).all(-1, keepdim=True), math.nan)
    return y
