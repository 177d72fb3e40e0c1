"""`~mask` for bool masks is right, but it is applied to integers too, where it is never 0."""


def scaled_dot_product_attention(q, k, v, mask=None):
    scores = q @ k.mT / math.sqrt(q.size(-1))
    if mask is not None and mask.is_floating_point():
        mask = mask != 0
    if mask is not None:
        scores = torch.where((~mask).bool(), scores, -torch.inf)
    weights = scores.softmax(-1).nan_to_num(0.0)
    return weights @ v, weights
