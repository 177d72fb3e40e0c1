"""The output is laid out as wide as the query: wider values are cut, narrower ones padded."""


def scaled_dot_product_attention(q, k, v, mask=None):
    scores = q @ k.mT / math.sqrt(q.size(-1))
    if mask is not None:
        scores = scores.masked_fill(mask.bool(), -1e9)
    weights = scores.softmax(-1)
    out = q.new_zeros(q.shape)
    width = min(q.size(-1), v.size(-1))
    out[..., :width] = (weights @ v)[..., :width]
    return out, weights
