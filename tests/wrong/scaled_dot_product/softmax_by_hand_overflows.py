"""exp without subtracting the maximum overflows."""


def scaled_dot_product_attention(q, k, v, mask=None):
    e = torch.exp(q @ k.mT / math.sqrt(q.size(-1)))
    if mask is not None:
        e = e.masked_fill(mask.bool(), 0.0)
    weights = e / e.sum(-1, keepdim=True).clamp_min(1e-300 if e.dtype == torch.float64 else 1e-30)
    return weights @ v, weights
