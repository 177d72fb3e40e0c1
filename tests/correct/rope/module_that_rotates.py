"""The rotation is a module with frequencies as a plain tensor, in einsum and checkpointed."""

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint


class Rotary(nn.Module):
    def __init__(self, size, base):
        super().__init__()
        if size % 2 == 1:
            raise ValueError("an odd size has no pairs")
        self.theta = base ** -(torch.arange(0.0, size, 2.0, dtype=torch.float64) / size)

    def forward(self, x, positions):
        phase = torch.einsum("bl,f->blf", positions.double().view(-1, x.shape[2]), self.theta)[:, None]
        first, second = torch.unbind(x.unflatten(-1, (2, -1)), dim=-2)
        cos, sin = phase.cos().to(x), phase.sin().to(x)
        return torch.stack([first * cos - second * sin, second * cos + first * sin], -2).flatten(-2)


def apply_rope(x, positions, base=10000.0):
    return Rotary(x.shape[-1], base)(x, positions)


class RotaryMultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, base=10000.0):
        super().__init__()
        if d_model % num_heads:
            raise ValueError("heads do not divide")
        self.h = num_heads
        self.rotary = Rotary(d_model // num_heads, base)
        for name in ("W_Q", "W_K", "W_V", "W_O"):
            self.add_module(name, nn.Linear(d_model, d_model))

    def attend(self, q, k, v, hidden):
        scores = torch.einsum("bhid,bhjd->bhij", q, k) / q.shape[-1] ** 0.5
        weights = scores.masked_fill(hidden, -torch.inf).softmax(-1).masked_fill(hidden, 0.0)
        return torch.einsum("bhij,bhjd->bihd", weights, v).flatten(2), weights

    def forward(self, x, mask=None, positions=None):
        b, n, _ = x.shape
        positions = torch.arange(n) if positions is None else positions
        q, k, v = (layer(x).view(b, n, self.h, -1).transpose(1, 2) for layer in (self.W_Q, self.W_K, self.W_V))
        q, k = self.rotary(q, positions), self.rotary(k, positions)
        hidden = torch.zeros(1, 1, 1, 1, dtype=torch.bool) if mask is None else mask == 0
        merged, weights = checkpoint(self.attend, q, k, v, hidden, use_reentrant=False)
        return self.W_O(merged), weights
