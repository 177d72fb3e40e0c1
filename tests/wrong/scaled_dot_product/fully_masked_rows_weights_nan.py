"""NaN is taken out of the output and left in the weights."""


def scaled_dot_product_attention(q, k, v, mask=None):
    scores = q @ k.mT / math.sqrt(q.size(-1))
    if mask is not None:
        scores = scores.masked_fill(mask.bool(), -torch.inf)
    weights = scores.softmax(-1)
    return (weights.nan_to_num(0.0) @ v), weights
