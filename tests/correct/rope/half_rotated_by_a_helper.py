"""Cosines and sines are laid out over all features; hidden scores are the smallest finite number."""

import torch
import torch.nn.functional as F
from torch import nn


def rotate_half(x):
    middle = x.shape[-1] // 2
    return torch.cat((x[..., middle:].neg(), x[..., :middle]), dim=-1)


def apply_rope(x, positions, base=10000.0):
    size = x.size(-1)
    if size % 2:
        raise ValueError("odd")
    inverse = 1.0 / (base ** (torch.arange(0, size, 2).double() / size))
    angles = torch.einsum("...l,d->...ld", positions.double(), inverse)
    angles = torch.cat((angles, angles), dim=-1)
    if positions.ndim == 2:
        angles = angles[:, None]
    return x * angles.cos().to(x.dtype) + rotate_half(x) * angles.sin().to(x.dtype)


class RotaryMultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, base=10000.0):
        super().__init__()
        if d_model % (2 * num_heads):
            raise ValueError(f"{d_model} features make no {num_heads} heads of an even size")
        self.num_heads, self.base = num_heads, base
        self.W_Q, self.W_K, self.W_V, self.W_O = (nn.Linear(d_model, d_model) for _ in range(4))

    def split(self, x):
        return torch.stack(x.chunk(self.num_heads, dim=-1), dim=1)

    def forward(self, x, mask=None, positions=None):
        if positions is None:
            positions = torch.arange(x.size(1))
        q = apply_rope(self.split(self.W_Q(x)), positions, self.base)
        k = apply_rope(self.split(self.W_K(x)), positions, self.base)
        v = self.split(self.W_V(x))
        logits = torch.einsum("bhqd,bhkd->bhqk", q, k) / q.size(-1) ** 0.5
        if mask is not None:
            logits = torch.where(mask != 0, logits, torch.finfo(logits.dtype).min)
        weights = F.softmax(logits, -1)
        heads = torch.einsum("bhqk,bhkd->bhqd", weights, v)
        return self.W_O(torch.cat(heads.unbind(1), dim=-1)), weights
