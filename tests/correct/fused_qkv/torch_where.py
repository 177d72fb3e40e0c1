"""torch.where around the softmax; one row of features per head by unflatten, flatten at the end."""

import math

import torch
from torch import nn


class EfficientMultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.0):
        super().__init__()
        self.head_dim, rest = divmod(d_model, num_heads)
        if rest:
            raise ValueError(f"num_heads={num_heads} leaves {rest} of d_model={d_model} over")
        self.qkv_proj = nn.Linear(d_model, 3 * d_model)
        self.dropout = nn.Dropout(dropout)
        self.out_proj = nn.Linear(d_model, d_model)

    def forward(self, x, mask=None):
        split = self.qkv_proj(x).unflatten(-1, (-1, self.head_dim))  # [B, L, 3 * H, D]
        q, k, v = split.movedim(-2, -3).chunk(3, dim=-3)
        scores = torch.matmul(q, k.mT) / math.sqrt(self.head_dim)
        visible = torch.ones_like(scores, dtype=torch.bool) if mask is None else (mask != 0).expand_as(scores)
        # a row that sees nothing is all of one number here, and has even weights
        weights = torch.where(visible, scores, -1e30).softmax(dim=-1)
        mixed = torch.matmul(self.dropout(weights), v)
        return self.out_proj(mixed.movedim(-3, -2).flatten(-2)), weights
