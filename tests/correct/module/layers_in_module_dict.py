"""The four layers stand in a ModuleDict, under other names too; no helpers."""

import math

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.0, bias=True):
        super().__init__()
        if d_model % num_heads:
            raise ValueError
        self.d_model, self.num_heads, self.dropout, self.bias = d_model, num_heads, dropout, bias
        self.layers = nn.ModuleDict({n: nn.Linear(d_model, d_model, bias=bias) for n in ("W_Q", "W_K", "W_V", "W_O")})
        for layer in self.layers.values():
            nn.init.xavier_uniform_(layer.weight)
            if bias:
                nn.init.zeros_(layer.bias)
        self.W_Q, self.W_K, self.W_V, self.W_O = self.layers.values()

    def forward(self, query, key, value, mask=None, return_attention=True):
        def split(x):
            return x.view(x.size(0), -1, self.num_heads, self.d_model // self.num_heads).permute(0, 2, 1, 3)

        q, k, v = split(self.layers["W_Q"](query)), split(self.layers["W_K"](key)), split(self.layers["W_V"](value))
        scores = q.matmul(k.permute(0, 1, 3, 2)).div(math.sqrt(q.size(-1)))
        if mask is not None:
            scores = scores.masked_fill(mask.logical_not(), torch.finfo(scores.dtype).min)
        attn = scores.softmax(dim=-1)
        ctx = nn.functional.dropout(attn, self.dropout, self.training).matmul(v).permute(0, 2, 1, 3)
        out = self.layers["W_O"](ctx.reshape(ctx.size(0), -1, self.d_model))
        return nn.functional.dropout(out, p=self.dropout, training=self.training), attn if return_attention else None

    def extra_repr(self):
        return f"d_model={self.d_model}, num_heads={self.num_heads}, dropout={self.dropout}, bias={self.bias}"
