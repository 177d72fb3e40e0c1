"""Queries in chunks, so that no full score matrix is held at once; the results are joined."""

import torch


def _attend(q, k, v, hidden):
    scores = torch.matmul(q, k.transpose(-1, -2)).div(q.size(-1) ** 0.5)
    if hidden is None:
        weights = scores.softmax(dim=-1)
    else:
        weights = scores.masked_fill(hidden, float("-inf")).softmax(dim=-1).masked_fill(hidden, 0)
    return torch.matmul(weights, v), weights


def scaled_dot_product_attention(q, k, v, mask=None):
    queries = q.split(3, dim=-2)
    if mask is None:
        masks = [None] * len(queries)
    else:
        hidden = mask.bool()
        hidden = hidden.expand(*hidden.shape[:-2], q.size(-2), k.size(-2))
        masks = hidden.split(3, dim=-2)
    outputs, weights = zip(*[_attend(c, k, v, m) for c, m in zip(queries, masks, strict=True)], strict=True)
    return torch.cat(outputs, dim=-2), torch.cat(weights, dim=-2)
