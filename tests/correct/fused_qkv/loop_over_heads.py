"""A loop over heads by slices of the fused projection; torch.where for the mask."""

import torch
from torch import nn


class EfficientMultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.0, verbose=False):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("d_model % num_heads")
        self.d_model, self.num_heads, self.verbose = d_model, num_heads, verbose
        self.d = d_model // num_heads
        self.qkv_proj = nn.Linear(d_model, 3 * d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        B, L, E = x.shape
        qkv = self.qkv_proj(x)
        if mask is not None:
            mask = (mask != 0).expand(B, self.num_heads, L, L)
        heads, weights = [], []
        for h in range(self.num_heads):
            start = h * self.d
            q = qkv[..., start : start + self.d]
            k = qkv[..., E + start : E + start + self.d]
            v = qkv[..., 2 * E + start : 2 * E + start + self.d]
            s = torch.bmm(q, k.transpose(1, 2)) / self.d**0.5
            if mask is not None:
                s = torch.where(mask[:, h], s, torch.finfo(s.dtype).min)
            w = torch.softmax(s, dim=2)
            if mask is not None:
                w = w * mask[:, h]
            if self.verbose:
                print("head", h, w.shape)
            weights.append(w)
            heads.append(torch.bmm(self.dropout(w), v))
        return self.out_proj(torch.cat(heads, dim=2)), torch.stack(weights, dim=1)
