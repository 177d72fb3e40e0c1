"""Pairs of halves are complex numbers, multiplied by others of length 1."""

import math

import torch
from torch import nn


def apply_rope(x, positions, base=10000.0):
    half, odd = divmod(x.shape[-1], 2)
    assert not odd
    theta = torch.pow(float(base), -torch.arange(half, dtype=torch.float64) / half)
    angle = positions.double().unsqueeze(-1) * theta
    unit = torch.polar(torch.ones_like(angle), angle)
    if unit.dim() == 3:
        unit = unit.unsqueeze(1)
    pairs = x.double().unflatten(-1, (2, half)).transpose(-1, -2).contiguous()
    turned = torch.view_as_real(torch.view_as_complex(pairs) * unit)
    return turned.transpose(-1, -2).flatten(-2).to(x.dtype)


class RotaryMultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, base=10000.0):
        super().__init__()
        assert d_model % num_heads == 0
        assert (d_model // num_heads) % 2 == 0
        self.h, self.base = num_heads, base
        for name in ("W_Q", "W_K", "W_V", "W_O"):
            self.add_module(name, nn.Linear(d_model, d_model))

    def forward(self, x, mask=None, positions=None):
        n, length, width = x.shape
        places = torch.arange(length) if positions is None else positions
        q, k, v = (w(x).view(n, length, self.h, -1).permute(0, 2, 1, 3) for w in (self.W_Q, self.W_K, self.W_V))
        q, k = (apply_rope(each, places, self.base) for each in (q, k))
        scores = q.matmul(k.mT) * (width / self.h) ** -0.5
        if mask is not None:
            scores = scores + torch.where(mask.bool(), 0.0, -math.inf).to(scores.dtype)
            empty = (scores == -math.inf).all(-1, keepdim=True)
            scores = scores.masked_fill(empty, 0.0)
        weights = scores.softmax(-1)
        return self.W_O((weights @ v).permute(0, 2, 1, 3).reshape(n, length, width)), weights
