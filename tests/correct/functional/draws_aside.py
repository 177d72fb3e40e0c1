"""The draws are made aside: torch's global generator is left where it was."""

import math

import torch
from torch import nn
from torch.nn import functional as F


def drawn(d_model):
    with torch.random.fork_rng(devices=[]):
        attention = nn.Linear(d_model, d_model, bias=False)
        stacked = nn.init.xavier_uniform_(torch.empty(3 * d_model, d_model))
    return *stacked.chunk(3), attention.weight


def multi_head_attention(q, k, v, num_heads, d_model, mask=None):
    assert d_model % num_heads == 0, "heads of one size"
    *inward, outward = (weight.to(q.dtype) for weight in drawn(d_model))
    split = [
        F.linear(x, weight).unflatten(-1, (num_heads, -1)).movedim(-2, 1)
        for x, weight in zip((q, k, v), inward, strict=True)
    ]
    scores = torch.matmul(split[0], split[1].mT).div(math.sqrt(split[0].shape[-1]))
    if mask is not None:
        hidden = mask.bool() if mask.dim() != 3 else mask.bool()[:, None]
        scores = torch.where(hidden, torch.full_like(scores, -1e30), scores)
    heads = torch.matmul(scores.softmax(-1), split[2])
    return F.linear(heads.movedim(1, -2).flatten(-2), outward)
