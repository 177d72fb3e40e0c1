"""Each pair is multiplied by its 2 x 2 matrix, for every token."""

import math

import torch
from torch import nn


def matrices(positions, half, base):
    """[..., L, D / 2, 2, 2]."""
    steps = torch.tensor([math.pow(base, -i / half) for i in range(half)], dtype=torch.float64)
    angles = positions.to(torch.float64).unsqueeze(-1) * steps
    rows = [torch.stack([angles.cos(), -angles.sin()], -1), torch.stack([angles.sin(), angles.cos()], -1)]
    return torch.stack(rows, -2)


def apply_rope(x, positions, base=10000.0):
    batch, _, length, size = x.shape
    if size % 2:
        raise ValueError(f"{size} features are no pairs")
    turning = matrices(positions, size // 2, base).expand(batch, length, -1, 2, 2)
    pairs = x.double().unflatten(-1, (2, -1)).transpose(-1, -2)
    turned = torch.einsum("blpij,bhlpj->bhlpi", turning, pairs)
    return turned.transpose(-1, -2).flatten(-2).to(x.dtype)


class RotaryMultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, base=10000.0):
        super().__init__()
        assert d_model % (2 * num_heads) == 0
        self.num_heads, self.head_dim, self.base = num_heads, d_model // num_heads, base
        self.W_Q, self.W_K, self.W_V, self.W_O = (nn.Linear(d_model, d_model) for _ in range(4))

    def forward(self, x, mask=None, positions=None):
        B, L, _ = x.shape
        if positions is None:
            positions = torch.arange(L)
        heads = torch.stack([w(x).unflatten(-1, (self.num_heads, -1)) for w in (self.W_Q, self.W_K, self.W_V)])
        q, k, v = heads.transpose(2, 3)
        q, k = apply_rope(torch.cat([q, k], dim=1), positions, self.base).chunk(2, dim=1)
        scores = (q / math.sqrt(self.head_dim)) @ k.mT
        if mask is None:
            weights = torch.softmax(scores, -1)
        else:
            seen = (mask != 0).to(scores.dtype)
            highest = scores.masked_fill(seen == 0, -math.inf).amax(-1, keepdim=True).detach()
            parts = torch.exp((scores - highest.nan_to_num(neginf=0.0)).masked_fill(seen == 0, -math.inf))
            weights = parts / parts.sum(-1, keepdim=True).clamp(min=1e-30)
        return self.W_O((weights @ v).permute(0, 2, 1, 3).reshape(B, L, -1)), weights
