"""bfloat16 and float16 are computed in float32 and not cast back."""

right = scaled_dot_product_attention


def scaled_dot_product_attention(q, k, v, mask=None):
    if q.dtype in (torch.float16, torch.bfloat16):
        q, k, v = q.float(), k.float(), v.float()
    return right(q, k, v, mask)
