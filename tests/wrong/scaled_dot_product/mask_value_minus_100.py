"""Hidden keys get -100."""


def scaled_dot_product_attention(q, k, v, mask=None):
    scores = q @ k.mT / math.sqrt(q.size(-1))
    if mask is not None:
        scores = scores.masked_fill(mask.bool(), -100.0)
    weights = scores.softmax(-1)
    return weights @ v, weights
