"""Fully masked rows are looked for by the shape of the mask: (L, 1), which hides all keys of a query, leaves NaN."""


def scaled_dot_product_attention(q, k, v, mask=None):
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    if mask is None:
        weights = scores.softmax(-1)
    else:
        weights = scores.masked_fill(mask.bool(), -math.inf).softmax(-1)
        if mask.shape[-1] == scores.shape[-1]:
            weights = weights.masked_fill(mask.bool(), 0.0)
    return weights @ v, weights
