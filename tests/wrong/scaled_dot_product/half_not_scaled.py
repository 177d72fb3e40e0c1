"""bfloat16 scores are not scaled."""

right = scaled_dot_product_attention


def scaled_dot_product_attention(q, k, v, mask=None):
    return right(q * math.sqrt(q.size(-1)) if q.dtype == torch.bfloat16 else q, k, v, mask)
