"""exp without division meets the values first, the division by the sum comes last; dropout on the exponentials."""

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.0, bias=True):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("d_model must be divisible by num_heads")
        self.d_model, self.num_heads, self.dropout, self.bias = d_model, num_heads, dropout, bias
        self.W_Q = nn.Linear(d_model, d_model, bias=bias)
        self.W_K = nn.Linear(d_model, d_model, bias=bias)
        self.W_V = nn.Linear(d_model, d_model, bias=bias)
        self.W_O = nn.Linear(d_model, d_model, bias=bias)
        for name in "QKVO":
            layer = getattr(self, f"W_{name}")
            nn.init.xavier_uniform_(layer.weight)
            if bias:
                nn.init.zeros_(layer.bias)

    def drop(self, x):
        return nn.functional.dropout(x, self.dropout, training=self.training)

    def forward(self, query, key, value, mask=None, return_attention=True):
        H, D = self.num_heads, self.d_model // self.num_heads
        q = self.W_Q(query).reshape(-1, query.size(1), H, D).movedim(2, 1)
        k = self.W_K(key).reshape(-1, key.size(1), H, D).movedim(2, 1)
        v = self.W_V(value).reshape(-1, value.size(1), H, D).movedim(2, 1)
        scores = (q * D**-0.5) @ k.movedim(-1, -2)
        if mask is not None:
            scores = torch.where(mask > 0, scores, -1e30)
        e = (scores - scores.max(dim=-1, keepdim=True).values).exp()
        total = e.sum(dim=-1, keepdim=True)
        heads = (self.drop(e) @ v) / total
        output = self.drop(self.W_O(heads.movedim(1, 2).reshape(query.shape)))
        return output, e / total if return_attention else None

    def extra_repr(self):
        return f"d_model={self.d_model}, num_heads={self.num_heads}, dropout={self.dropout}, bias={self.bias}"
