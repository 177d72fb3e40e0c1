"""Padded values are zeroed and their weights kept, on top of a mask that is right for the scores of others."""


def scaled_dot_product_attention(q, k, v, mask=None):
    weights = (q @ k.mT / math.sqrt(q.size(-1))).softmax(-1)
    if mask is not None:
        mask = mask.expand(*weights.shape).bool()
        v = v.masked_fill(mask.all(-2)[..., None], 0.0)
        weights = weights.masked_fill(mask, 0.0)
    return weights @ v, weights
