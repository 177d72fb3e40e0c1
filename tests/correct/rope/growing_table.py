"""A table of cosines and sines is a buffer that grows with the farthest position, up to a bound."""

import torch
from torch import nn

TABLE = 4096


def frequencies(size, base):
    return torch.exp(-torch.arange(0, size, 2, dtype=torch.float64) / size * torch.log(torch.tensor(base).double()))


def turn(x, cos, sin):
    first, second = x.tensor_split(2, dim=-1)
    cos, sin = cos.to(x.dtype), sin.to(x.dtype)
    return torch.cat([first * cos - second * sin, first * sin + second * cos], dim=-1)


def apply_rope(x, positions, base=10000.0):
    if x.shape[-1] & 1:
        raise ValueError("D is odd")
    angles = positions[..., None] * frequencies(x.shape[-1], base)
    angles = angles if positions.dim() == 1 else angles.unsqueeze(1)
    return turn(x, torch.cos(angles), torch.sin(angles))


class RotaryMultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, base=10000.0):
        super().__init__()
        if d_model % num_heads or (d_model // num_heads) & 1:
            raise ValueError("no even heads")
        self.h, self.d, self.base = num_heads, d_model // num_heads, base
        self.W_Q, self.W_K = nn.Linear(d_model, d_model), nn.Linear(d_model, d_model)
        self.W_V, self.W_O = nn.Linear(d_model, d_model), nn.Linear(d_model, d_model)
        self.table = None

    def rows(self, positions):
        last = int(positions.max())
        if last >= TABLE:
            angles = positions[..., None] * frequencies(self.d, self.base)
            return angles.cos(), angles.sin()
        if self.table is None or self.table.shape[1] <= last:
            angles = torch.arange(last + 1)[:, None] * frequencies(self.d, self.base)
            self.table = torch.stack([angles.cos(), angles.sin()])
        return self.table[0][positions], self.table[1][positions]

    def forward(self, x, mask=None, positions=None):
        n, length, e = x.shape
        if positions is None:
            positions = torch.arange(length, device=x.device)
        cos, sin = (each if positions.dim() == 1 else each[:, None] for each in self.rows(positions))
        q, k, v = (w(x).reshape(n, length, self.h, self.d).transpose(1, 2) for w in (self.W_Q, self.W_K, self.W_V))
        scores = turn(q, cos, sin) @ turn(k, cos, sin).transpose(2, 3) / self.d**0.5
        if mask is None:
            mask = torch.ones(1, dtype=torch.bool, device=x.device)
        scores = scores.masked_fill(mask == 0, float("-inf"))
        shifted = (scores - scores.amax(-1, keepdim=True).clamp(min=-1e30).detach()).exp()
        weights = shifted / shifted.sum(-1, keepdim=True).clamp(min=1e-30)
        return self.W_O((weights @ v).transpose(1, 2).reshape(n, length, e)), weights
