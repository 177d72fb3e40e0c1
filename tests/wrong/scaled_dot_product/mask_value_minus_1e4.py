"""Hidden keys get -10000, which a large score undercuts."""


def scaled_dot_product_attention(q, k, v, mask=None):
    scores = q @ k.mT / math.sqrt(q.size(-1))
    if mask is not None:
        scores = scores.masked_fill(mask.bool(), -1e4)
    weights = scores.softmax(-1)
    return weights @ v, weights
