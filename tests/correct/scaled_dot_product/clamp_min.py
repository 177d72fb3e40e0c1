"""Exponentials of what is seen over their sum, which clamp_min keeps above 0."""

import torch


def scaled_dot_product_attention(q, k, v, mask=None):
    scores = torch.matmul(q, k.transpose(-2, -1)) / (q.size(-1) ** 0.5)
    if mask is not None:
        scores = scores.masked_fill(mask != 0, float("-inf"))
    top = scores.max(dim=-1, keepdim=True).values.clamp_min(torch.finfo(scores.dtype).min)
    exp = torch.exp(scores - top)
    attention = exp / exp.sum(dim=-1, keepdim=True).clamp_min(1e-30)
    return torch.matmul(attention, v), attention
