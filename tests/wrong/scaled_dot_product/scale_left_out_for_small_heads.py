"""Heads of fewer than 4 features are not scaled."""


def scaled_dot_product_attention(q, k, v, mask=None):
    scores = q @ k.mT
    if q.size(-1) >= 4:
        scores = scores / math.sqrt(q.size(-1))
    if mask is not None:
        scores = scores.masked_fill(mask.bool(), -1e9)
    weights = scores.softmax(-1)
    return weights @ v, weights
