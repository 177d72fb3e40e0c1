"""Scores by products of pairs: cosine and sine of the distance of two tokens, the layer turns nothing."""

import torch
from torch import nn


def angles_of(positions, size, base):
    exponents = torch.arange(size // 2, dtype=torch.float64) * 2 / size
    return positions.double().unsqueeze(-1) / base**exponents


def apply_rope(x, positions, base=10000.0):
    size = x.shape[-1]
    assert size % 2 == 0
    angles = angles_of(positions, size, base)
    while angles.dim() < x.dim():
        angles = angles.unsqueeze(-3)
    out = torch.empty_like(x)
    a, b = x[..., : size // 2], x[..., size // 2 :]
    out[..., : size // 2] = a * angles.cos() - b * angles.sin()
    out[..., size // 2 :] = b * angles.cos() + a * angles.sin()
    return out


class RotaryMultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, base=10000.0):
        super().__init__()
        assert d_model % (2 * num_heads) == 0
        self.num_heads, self.head_dim, self.base = num_heads, d_model // num_heads, base
        self.W_Q, self.W_K, self.W_V, self.W_O = (nn.Linear(d_model, d_model) for _ in range(4))

    def forward(self, x, mask=None, positions=None):
        B, L, _ = x.shape
        positions = torch.arange(L) if positions is None else positions
        q, k, v = (w(x).unflatten(-1, (self.num_heads, -1)).transpose(1, 2) for w in (self.W_Q, self.W_K, self.W_V))
        angles = angles_of(positions.expand(B, L), self.head_dim, self.base)
        apart = angles[:, None, None, :] - angles[:, None, :, None]  # [B, 1, L, L, D / 2]
        (a, b), (c, d) = (t.chunk(2, -1) for t in (q, k))
        a, b, c, d = a[..., None, :], b[..., None, :], c[:, :, None], d[:, :, None]
        cos, sin = apart.cos().to(x.dtype), apart.sin().to(x.dtype)
        scores = ((a * c + b * d) * cos + (b * c - a * d) * sin).sum(-1) / self.head_dim**0.5
        if mask is None:
            return self.mixed(scores.softmax(-1), v)
        hidden = (mask == 0).expand_as(scores)
        return self.mixed(scores.masked_fill(hidden, -torch.inf).softmax(-1).masked_fill(hidden, 0), v)

    def mixed(self, weights, v):
        return self.W_O((weights @ v).transpose(1, 2).flatten(2)), weights
