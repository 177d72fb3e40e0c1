"""qkv_proj is a subclass of nn.Linear that returns three tensors split into heads; a decorator names the result."""

from functools import wraps
from typing import NamedTuple

import torch
from torch import Tensor, nn


class Attention(NamedTuple):
    out: Tensor
    weights: Tensor


def named(forward):
    @wraps(forward)
    def call(*args, **kwargs):
        return Attention(*forward(*args, **kwargs))

    return call


class HeadsLinear(nn.Linear):
    def __init__(self, d_model: int, num_heads: int):
        super().__init__(d_model, 3 * d_model)
        self.num_heads = num_heads

    def forward(self, input: Tensor) -> Tensor:
        y = super().forward(input).unflatten(-1, (3, self.num_heads, -1))
        return torch.einsum("blphd->pbhld", y)


class EfficientMultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.0):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("d_model must be divisible by num_heads")
        self.qkv_proj = HeadsLinear(d_model, num_heads)
        self.out_proj = nn.Linear(d_model, d_model)
        self.dropout = nn.Dropout(dropout)

    @named
    def forward(self, x, mask=None):
        q, k, v = self.qkv_proj(x)
        scores = q @ k.mT * q.size(-1) ** -0.5
        if mask is not None:
            hidden = torch.eq(mask, 0)
            fully_masked = hidden.all(dim=-1, keepdim=True)
            scores = scores.masked_fill(hidden.logical_and(~fully_masked), -torch.inf)
        weights = scores.softmax(-1)
        return self.out_proj((self.dropout(weights) @ v).transpose(1, 2).flatten(2)), weights
