"""A float mask in the queries' dtype: finfo.min where hidden, so that a fully masked row gets the mean."""

import math

import torch
import torch.nn.functional as F
from torch import nn


class FlashMultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.0, bias=True):
        super().__init__()
        if d_model % num_heads:
            raise ValueError("num_heads must divide d_model")
        self.H, self.p = num_heads, dropout
        self.W_Q = nn.Linear(d_model, d_model, bias=bias)
        self.W_K = nn.Linear(d_model, d_model, bias=bias)
        self.W_V = nn.Linear(d_model, d_model, bias=bias)
        self.W_O = nn.Linear(d_model, d_model, bias=bias)
        self.reset_parameters()

    @torch.no_grad()
    def reset_parameters(self):
        for layer in self.children():
            bound = math.sqrt(6 / sum(layer.weight.shape))
            layer.weight.uniform_(-bound, bound)
            if layer.bias is not None:
                layer.bias.zero_()

    def heads(self, x):
        return torch.stack(x.chunk(self.H, dim=-1), dim=1)

    def hiding(self, mask, is_causal, q, k):
        L, S = q.shape[-2], k.shape[-2]
        hidden = torch.zeros(L, S, dtype=torch.bool)
        if is_causal:
            hidden = torch.triu(torch.ones(L, S, dtype=torch.bool), diagonal=1)
        if mask is not None:
            hidden = hidden | (mask == 0)
        return torch.zeros(hidden.shape, dtype=q.dtype).masked_fill(hidden, torch.finfo(q.dtype).min)

    def forward(self, query, key, value, mask=None, is_causal=False, return_attention=False):
        q, k, v = self.heads(self.W_Q(query)), self.heads(self.W_K(key)), self.heads(self.W_V(value))
        added = self.hiding(mask, is_causal, q, k)
        p = self.p * self.training
        mixed = F.scaled_dot_product_attention(q, k, v, attn_mask=added, dropout_p=p)
        weights = None
        if return_attention:
            weights = (q @ k.mT / math.sqrt(q.shape[-1]) + added).softmax(-1)
        return self.W_O(torch.cat(mixed.unbind(1), dim=-1)), weights

    def extra_repr(self):
        sizes = f"d_model={self.W_O.in_features}, num_heads={self.H}"
        return f"{sizes}, dropout={self.p}, bias={self.W_O.bias is not None}"
