"""Hidden keys get the lowest score minus 10."""


def scaled_dot_product_attention(q, k, v, mask=None):
    scores = q @ k.mT / math.sqrt(q.size(-1))
    if mask is not None:
        scores = torch.where(mask.bool(), scores.min() - 10, scores)
    weights = scores.softmax(-1)
    return weights @ v, weights
