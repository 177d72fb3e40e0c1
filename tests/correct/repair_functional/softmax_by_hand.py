"""Layers in a module made at each call; a softmax by hand whose sum goes over what is seen."""

import math

import torch
from torch import nn


def masked_softmax(x, seen):
    top = torch.where(seen, x.detach(), -math.inf).amax(dim=-1, keepdim=True)
    top = torch.where(top.isneginf(), 0.0, top)
    exp = torch.where(seen, x - top, -math.inf).exp()
    total = exp.sum(dim=-1, keepdim=True)
    return exp / torch.where(total == 0, 1.0, total)


class Layers(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.out = nn.Linear(d_model, d_model, bias=False)
        self.qkv = nn.Parameter(torch.empty(3, d_model, d_model))
        nn.init.xavier_uniform_(self.qkv.view(3 * d_model, d_model))


def multi_head_attention(q, k, v, num_heads, d_model, mask=None):
    if d_model % num_heads != 0:
        raise ValueError(f"{num_heads} heads for {d_model} features")
    layers = Layers(d_model).to(device=q.device, dtype=q.dtype)
    projected = (x @ w.mT for x, w in zip((q, k, v), layers.qkv, strict=True))
    Q, K, V = (torch.stack(x.chunk(num_heads, dim=-1), dim=1) for x in projected)
    seen = torch.tensor(True)
    if mask is not None:
        seen = torch.logical_not(mask)
        seen = seen[:, None] if seen.ndim == 3 else seen
    weights = masked_softmax(Q @ K.mT / math.sqrt(Q.size(-1)), seen)
    heads = weights @ V
    return layers.out(torch.cat([heads[:, h] for h in range(num_heads)], dim=-1))
