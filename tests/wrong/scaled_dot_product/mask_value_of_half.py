"""Hidden keys get float16's lowest number, whatever the dtype."""


def scaled_dot_product_attention(q, k, v, mask=None):
    scores = q @ k.mT / math.sqrt(q.size(-1))
    if mask is not None:
        scores = scores.masked_fill(mask.bool(), torch.finfo(torch.float16).min)
    weights = scores.softmax(-1)
    return weights @ v, weights
