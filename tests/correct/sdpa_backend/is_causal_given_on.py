"""is_causal is passed on where it may be, scale is given by its name, heads are folded into the batch."""

import math

import torch
from torch import nn


class FlashMultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.0, bias=True):
        super().__init__()
        if d_model % num_heads:
            raise ValueError(f"d_model={d_model} is no multiple of num_heads={num_heads}")
        self.num_heads = num_heads
        self.dropout = nn.Dropout(dropout)
        self.W_Q = nn.Linear(d_model, d_model, bias=bias)
        self.W_K = nn.Linear(d_model, d_model, bias=bias)
        self.W_V = nn.Linear(d_model, d_model, bias=bias)
        self.W_O = nn.Linear(d_model, d_model, bias=bias)
        for parameter in self.parameters():
            nn.init.xavier_uniform_(parameter) if parameter.dim() == 2 else nn.init.zeros_(parameter)

    def fold(self, x):
        B, T = x.shape[:2]
        return x.view(B, T, self.num_heads, -1).transpose(1, 2).reshape(B * self.num_heads, T, -1)

    def forward(self, query, key, value, mask=None, is_causal=False, return_attention=False):
        B, L, E = query.shape
        S = key.shape[1]
        q, k, v = self.fold(self.W_Q(query)), self.fold(self.W_K(key)), self.fold(self.W_V(value))
        options = {"scale": 1 / math.sqrt(E // self.num_heads), "dropout_p": self.dropout.p * float(self.training)}
        if mask is None:
            mixed = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=is_causal, **options)
            hidden = torch.ones(L, S).triu(1).bool() if is_causal else torch.zeros(L, S).bool()
        else:
            hidden = mask.expand(B, self.num_heads, L, S).reshape(B * self.num_heads, L, S) == 0
            if is_causal:
                hidden = hidden | torch.ones(L, S).triu(1).bool()
            mixed = nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=~hidden, **options)
        output = self.W_O(mixed.reshape(B, self.num_heads, L, -1).transpose(1, 2).reshape(B, L, E))
        if not return_attention:
            return output, None
        weights = torch.baddbmm(torch.zeros(1, dtype=q.dtype), q, k.mT, alpha=options["scale"])
        weights = torch.softmax(weights.masked_fill(hidden, torch.finfo(weights.dtype).min), dim=-1)
        return output, weights.unflatten(0, (B, self.num_heads))

    def extra_repr(self):
        E, p = self.W_Q.in_features, self.dropout.p
        return f"d_model={E}, num_heads={self.num_heads}, dropout={p}, bias={self.W_Q.bias is not None}"
