"""The maximum is taken before the mask: where a hidden key has it by far, the row vanishes."""


def scaled_dot_product_attention(q, k, v, mask=None):
    scores = q @ k.mT / math.sqrt(q.size(-1))
    e = torch.exp(scores - scores.amax(-1, keepdim=True))
    if mask is not None:
        e = e.masked_fill(mask.bool(), 0.0)
    weights = e / e.sum(-1, keepdim=True).clamp_min(torch.finfo(e.dtype).tiny)
    return weights @ v, weights
