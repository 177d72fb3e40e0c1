"""Softmax over axis 3 where there is one: with a fifth axis it runs over the queries."""


def scaled_dot_product_attention(q, k, v, mask=None):
    scores = q @ k.mT / math.sqrt(q.size(-1))
    if mask is not None:
        scores = scores.masked_fill(mask.bool(), -1e9)
    weights = torch.softmax(scores, dim=3 if scores.dim() > 3 else -1)
    return weights @ v, weights
