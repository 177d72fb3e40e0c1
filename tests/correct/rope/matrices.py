"""A matrix D x D for each position, in a block for each pair; one head after the other."""

import math

import torch
from torch import nn


def matrices(positions, size, base):
    angles = positions.double()[..., None] * base ** (-2 * torch.arange(size // 2).double() / size)
    cos, sin = torch.diag_embed(angles.cos()), torch.diag_embed(angles.sin())
    return torch.cat([torch.cat([cos, -sin], dim=-1), torch.cat([sin, cos], dim=-1)], dim=-2)


def apply_rope(x, positions, base=10000.0):
    if x.shape[-1] % 2 != 0:
        raise ValueError("an odd size")
    turn = matrices(positions, x.shape[-1], base)
    turn = turn[:, None] if positions.dim() == 2 else turn
    return (turn @ x.double()[..., None])[..., 0].to(x.dtype)


class RotaryMultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, base=10000.0):
        super().__init__()
        if d_model % num_heads != 0 or d_model // num_heads % 2 != 0:
            raise ValueError("sizes")
        self.num_heads, self.size, self.base = num_heads, d_model // num_heads, base
        self.W_Q = nn.Linear(d_model, d_model)
        self.W_K = nn.Linear(d_model, d_model)
        self.W_V = nn.Linear(d_model, d_model)
        self.W_O = nn.Linear(d_model, d_model)

    def forward(self, x, mask=None, positions=None):
        positions = torch.arange(x.shape[1]) if positions is None else positions
        outputs, weights = [], []
        for q, k, v in zip(*(w(x).split(self.size, -1) for w in (self.W_Q, self.W_K, self.W_V)), strict=False):
            q, k = (apply_rope(each[:, None], positions, self.base)[:, 0] for each in (q, k))
            scores = torch.bmm(q, k.transpose(1, 2)) / math.sqrt(self.size)
            if mask is not None:
                scores = scores.masked_fill(mask[:, 0] == 0, -1e9)
            weights.append(torch.softmax(scores, dim=-1))
            outputs.append(weights[-1] @ v)
        return self.W_O(torch.cat(outputs, dim=-1)), torch.stack(weights, dim=1)
