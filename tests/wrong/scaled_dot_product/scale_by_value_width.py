"""Divides by the root of the values' width, which equals the keys' only where all three have one size."""


def scaled_dot_product_attention(q, k, v, mask=None):
    scores = torch.einsum("...ld,...sd->...ls", q, k) / v.size(-1) ** 0.5
    if mask is not None:
        scores = scores.masked_fill(mask.bool(), torch.finfo(scores.dtype).min)
    weights = scores.softmax(-1)
    return torch.einsum("...ls,...sd->...ld", weights, v), weights
