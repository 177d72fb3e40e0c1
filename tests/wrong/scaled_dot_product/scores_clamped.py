"""Scores are clamped to 50 in size against overflow."""


def scaled_dot_product_attention(q, k, v, mask=None):
    scores = (q @ k.mT / math.sqrt(q.size(-1))).clamp(-50, 50)
    if mask is not None:
        scores = scores.masked_fill(mask.bool(), -1e9)
    weights = scores.softmax(-1)
    return weights @ v, weights
