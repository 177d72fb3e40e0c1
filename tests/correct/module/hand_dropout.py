"""Dropout by Bernoulli draws of its own; heads stacked in front."""

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.0, bias=True):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("no")
        self.d_model, self.num_heads, self.p, self.has_bias = d_model, num_heads, dropout, bias
        bound = (6 / (2 * d_model)) ** 0.5
        for n in ("W_Q", "W_K", "W_V", "W_O"):
            layer = nn.Linear(d_model, d_model, bias)
            with torch.no_grad():
                layer.weight.uniform_(-bound, bound)
                if bias:
                    layer.bias.fill_(0)
            setattr(self, n, layer)

    def drop(self, x):
        if not self.training or self.p == 0:
            return x
        if self.p == 1:
            return torch.zeros_like(x)
        return x * torch.bernoulli(torch.full_like(x, 1 - self.p)) / (1 - self.p)

    def forward(self, query, key, value, mask=None, return_attention=True):
        H = self.num_heads
        q, k, v = (torch.stack(w(x).chunk(H, -1)) for w, x in ((self.W_Q, query), (self.W_K, key), (self.W_V, value)))
        s = torch.einsum("hbld,hbsd->bhls", q, k) / (self.d_model // H) ** 0.5
        if mask is not None:
            s = s + (1.0 - mask.to(s.dtype)) * -1e9
        a = torch.softmax(s, -1)
        o = torch.einsum("bhls,hbsd->blhd", self.drop(a), v).reshape(query.shape)
        return self.drop(self.W_O(o)), (a if return_attention else None)

    def extra_repr(self):
        return f"d_model={self.d_model}, num_heads={self.num_heads}, dropout={self.p}, bias={self.has_bias}"
