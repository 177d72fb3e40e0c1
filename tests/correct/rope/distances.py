"""The layer rotates no key: scores are those of the queries, turned back by the distance, pair by pair."""

import torch
from torch import nn


def angles_of(positions, size, base):
    return positions.double()[..., None] * base ** -(torch.arange(0, size, 2).double() / size)


def apply_rope(x, positions, base=10000.0):
    if x.shape[-1] % 2:
        raise ValueError("odd")
    angles = angles_of(positions, x.shape[-1], base)
    angles = angles.unsqueeze(-3)
    a, b = x.double().chunk(2, -1)
    return torch.cat([a * angles.cos() - b * angles.sin(), b * angles.cos() + a * angles.sin()], -1).type_as(x)


class RotaryMultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, base=10000.0):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("d_model")
        if (d_model // num_heads) % 2 == 1:
            raise ValueError("odd heads")
        self.h, self.base = num_heads, base
        self.W_Q = nn.Linear(d_model, d_model)
        self.W_K = nn.Linear(d_model, d_model)
        self.W_V = nn.Linear(d_model, d_model)
        self.W_O = nn.Linear(d_model, d_model)

    def forward(self, x, mask=None, positions=None):
        q, k, v = (w(x).unflatten(-1, (self.h, -1)).transpose(1, 2) for w in (self.W_Q, self.W_K, self.W_V))
        positions = torch.arange(x.shape[1]) if positions is None else positions
        apart = positions[..., :, None] - positions[..., None, :]
        angles = angles_of(apart, q.shape[-1], self.base)
        angles = angles if positions.dim() == 1 else angles[:, None]
        (a, b), (c, d) = q.double().chunk(2, -1), k.double().chunk(2, -1)
        along = a[..., :, None, :] * c[..., None, :, :] + b[..., :, None, :] * d[..., None, :, :]
        across = b[..., :, None, :] * c[..., None, :, :] - a[..., :, None, :] * d[..., None, :, :]
        scores = (along * angles.cos() - across * angles.sin()).sum(-1) / q.shape[-1] ** 0.5
        scores = scores.to(x.dtype)
        if mask is not None:
            scores = scores.masked_fill(mask == 0, -1e30)
        weights = scores.softmax(-1)
        return self.W_O((weights @ v).transpose(1, 2).flatten(2)), weights
