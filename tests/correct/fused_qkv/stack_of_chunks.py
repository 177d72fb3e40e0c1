"""chunk into q, k, v, then chunk each into heads and stack them: the heads come first; cat puts them back."""

import math

import torch
from torch import nn


class EfficientMultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.0):
        super().__init__()
        if d_model % num_heads:
            raise ValueError(f"d_model {d_model} must be a multiple of num_heads {num_heads}")
        self.num_heads = num_heads
        self.qkv_proj = nn.Linear(d_model, d_model * 3)
        self.out_proj = nn.Linear(d_model, d_model)
        self.drop = nn.Dropout(p=dropout)

    def heads(self, x):
        return torch.stack(torch.chunk(x, self.num_heads, dim=2), dim=1)

    def forward(self, x, mask=None):
        q, k, v = map(self.heads, torch.chunk(self.qkv_proj(x), 3, dim=2))
        logits = (q / math.sqrt(q.size(3))).matmul(k.transpose(2, 3))
        if mask is not None:
            logits = logits.masked_fill(mask == 0, torch.finfo(logits.dtype).min)
        weights = torch.softmax(logits, dim=3)
        attended = self.drop(weights).matmul(v)
        return self.out_proj(torch.cat(attended.unbind(1), dim=2)), weights
