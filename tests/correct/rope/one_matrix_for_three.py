"""One product makes queries, keys and values; the queries come in chunks, and tokens stand before heads."""

import torch
import torch.nn.functional as F
from torch import nn


def apply_rope(x, positions, base=10000.0):
    *_, length, size = x.shape
    assert size % 2 == 0, "D must be even"
    i = torch.arange(size // 2, dtype=torch.float64)
    angles = positions.reshape(-1, 1, length, 1) / base ** (2 * i / size)
    cos, sin = (f(angles).to(x.dtype) for f in (torch.cos, torch.sin))
    a, b = x[..., : size // 2], x[..., size // 2 :]
    turned = torch.empty_like(x)
    turned[..., : size // 2] = a * cos - b * sin
    turned[..., size // 2 :] = b * cos + a * sin
    return turned


class RotaryMultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, base=10000.0):
        super().__init__()
        assert d_model % num_heads == 0
        assert d_model // num_heads % 2 == 0
        self.heads = num_heads
        self.W_Q = nn.Linear(d_model, d_model)
        self.W_K = nn.Linear(d_model, d_model)
        self.W_V = nn.Linear(d_model, d_model)
        self.W_O = nn.Linear(d_model, d_model)
        self.register_buffer("base", torch.tensor(base, dtype=torch.float64), persistent=False)

    def forward(self, x, mask=None, positions=None):
        layers = (self.W_Q, self.W_K, self.W_V)
        weight, bias = torch.cat([w.weight for w in layers]), torch.cat([w.bias for w in layers])
        q, k, v = F.linear(x, weight, bias).unflatten(-1, (3, self.heads, -1)).permute(2, 0, 3, 1, 4)
        positions = torch.arange(x.shape[1]) if positions is None else positions
        base = float(self.base)
        q, k = apply_rope(q, positions, base), apply_rope(k, positions, base)
        hidden = None if mask is None else mask.logical_not().expand(len(x), 1, x.shape[1], x.shape[1])
        rows = []
        for start in range(0, x.shape[1], 4):
            scores = q[:, :, start : start + 4] @ k.mT / q.shape[-1] ** 0.5
            if hidden is not None:
                here = hidden[:, :, start : start + 4]
                scores = scores.masked_fill(here, -torch.inf).masked_fill(here.all(-1, keepdim=True), 0)
            rows.append(torch.softmax(scores, -1))
        weights = torch.cat(rows, dim=2)
        return self.W_O((weights @ v).transpose(1, 2).flatten(2)), weights
