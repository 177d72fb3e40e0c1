"""Hidden keys' scores are lowered by 50."""


def scaled_dot_product_attention(q, k, v, mask=None):
    scores = q @ k.mT / math.sqrt(q.size(-1))
    if mask is not None:
        scores = scores - 50.0 * mask.to(scores)
    weights = scores.softmax(-1)
    return weights @ v, weights
