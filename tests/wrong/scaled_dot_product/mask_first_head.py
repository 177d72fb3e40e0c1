"""Of a mask with four axes, only that of the first head is used."""


def scaled_dot_product_attention(q, k, v, mask=None):
    scores = q @ k.mT / math.sqrt(q.size(-1))
    if mask is not None:
        scores = scores.masked_fill((mask[:, :1] if mask.dim() == 4 else mask).bool(), -1e9)
    weights = scores.softmax(-1)
    return weights @ v, weights
