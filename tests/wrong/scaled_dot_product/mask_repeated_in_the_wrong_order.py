"""Axes are folded and the mask repeated as a block: sequences meet one another's masks."""


def scaled_dot_product_attention(q, k, v, mask=None):
    fold = [x.reshape(-1, *x.shape[-2:]) for x in (q, k, v)]
    scores = torch.bmm(fold[0], fold[1].mT) / math.sqrt(q.size(-1))
    if mask is not None:
        mask = mask.reshape(-1, *mask.shape[-2:]) if mask.dim() > 1 else mask[None, None]
        mask = mask.repeat(len(scores) // len(mask), 1, 1).bool()
        scores = scores.masked_fill(mask, -1e9)
    weights = scores.softmax(-1)
    out = torch.bmm(weights, fold[2])
    return out.reshape(*q.shape[:-1], -1), weights.reshape(*q.shape[:-1], -1)
