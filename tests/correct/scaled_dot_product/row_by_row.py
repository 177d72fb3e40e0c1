"""One query at a time, as the formula is explained on paper."""

import math

import torch


def scaled_dot_product_attention(q, k, v, mask=None):
    rows, weights = [], []
    if mask is not None:
        mask = mask.expand(*mask.shape[:-2], q.shape[-2], k.shape[-2])
    for i in range(q.shape[-2]):
        qi = q[..., i, :].unsqueeze(-2)
        score = (qi * k).sum(dim=-1) / math.sqrt(k.shape[-1])
        if mask is not None:
            score = score.masked_fill(mask[..., i, :] > 0, -1e30)
        w = torch.softmax(score, dim=-1)
        weights.append(w)
        rows.append((w.unsqueeze(-1) * v).sum(dim=-2))
    return torch.stack(rows, dim=-2), torch.stack(weights, dim=-2)
