"""The heads are folded into the batch, with the positions of their sequences."""

import torch
from torch import nn


def angles_of(positions, frequencies):
    return positions.double()[..., None] * frequencies


def turned(x, cos, sin):
    low, high = torch.tensor_split(x, 2, dim=-1)
    return torch.cat((low * cos - high * sin, high * cos + low * sin), dim=-1).type_as(x)


def apply_rope(x, positions, base=10000.0):
    if x.shape[-1] % 2 != 0:
        raise AssertionError("odd head")
    exact = torch.tensor(base, dtype=torch.float64).pow(torch.arange(x.shape[-1] // 2).double().mul(-2 / x.shape[-1]))
    angles = angles_of(positions, exact)
    angles = angles if positions.ndim == 1 else angles[:, None, :, :]
    return turned(x, torch.cos(angles), torch.sin(angles))


class RotaryMultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, base=10000.0):
        super().__init__()
        assert d_model % (2 * num_heads) == 0
        self.num_heads, self.head_dim, self.base = num_heads, d_model // num_heads, base
        self.W_Q, self.W_K, self.W_V, self.W_O = (nn.Linear(d_model, d_model) for _ in range(4))

    def forward(self, x, mask=None, positions=None):
        batch, length, _ = x.shape
        if positions is None:
            positions = torch.arange(length, device=x.device)
        shape = (batch, length, self.num_heads, self.head_dim)
        q, k, v = self.W_Q(x).view(shape), self.W_K(x).view(shape), self.W_V(x).view(shape)
        places = positions.expand(batch, length).repeat_interleave(self.num_heads, dim=0)
        folded = [t.transpose(1, 2).reshape(-1, 1, length, self.head_dim) for t in (q, k)]
        q, k = (apply_rope(t, places, self.base)[:, 0] for t in folded)
        v = v.transpose(1, 2).flatten(0, 1)
        scores = torch.baddbmm(q.new_zeros(1, 1, 1), q, k.transpose(1, 2), alpha=self.head_dim**-0.5)
        scores = scores.view(batch, self.num_heads, length, length)
        if mask is not None:
            scores = scores.masked_fill(mask.eq(0), -1e30 if scores.dtype != torch.float16 else -6e4)
        weights = scores.softmax(dim=-1)
        mixed = torch.bmm(weights.flatten(0, 1), v).view(batch, self.num_heads, length, self.head_dim)
        return self.W_O(mixed.transpose(1, 2).contiguous().view(batch, length, -1)), weights
