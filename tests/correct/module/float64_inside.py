"""Scores and weights in float64 whatever the input's dtype, cast back at the end; scale split over queries and keys."""

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model: int, num_heads: int, dropout: float = 0.0, bias: bool = True) -> None:
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError(f"d_model={d_model}, num_heads={num_heads}")
        self.num_heads = num_heads
        self.quarter = (d_model // num_heads) ** -0.25
        self.W_Q = nn.Linear(d_model, d_model, bias=bias)
        self.W_K = nn.Linear(d_model, d_model, bias=bias)
        self.W_V = nn.Linear(d_model, d_model, bias=bias)
        self.W_O = nn.Linear(d_model, d_model, bias=bias)
        self.weight_dropout, self.output_dropout = nn.Dropout(dropout), nn.Dropout(dropout)
        self.apply(self._start)

    @staticmethod
    def _start(module):
        if isinstance(module, nn.Linear):
            nn.init.xavier_uniform_(module.weight)
            if module.bias is not None:
                nn.init.zeros_(module.bias)

    def _split_heads(self, x):
        return x.unflatten(-1, (self.num_heads, -1)).swapaxes(1, 2)

    def _combine_heads(self, x):
        return x.swapaxes(1, 2).flatten(-2)

    def _scaled_dot_product_attention(self, Q, K, V, mask=None):
        scores = torch.matmul(Q.double() * self.quarter, K.double().mT * self.quarter)
        if mask is not None:
            scores = scores.masked_fill(mask == 0, -1e30)
        weights = scores.softmax(-1)
        mixed = torch.matmul(self.weight_dropout(weights), V.double())
        return mixed.to(V.dtype), weights.to(V.dtype)

    def forward(self, query, key, value, mask=None, return_attention=True):
        Q = self._split_heads(self.W_Q(query))
        K = self._split_heads(self.W_K(key))
        V = self._split_heads(self.W_V(value))
        mixed, weights = self._scaled_dot_product_attention(Q, K, V, mask)
        output = self.output_dropout(self.W_O(self._combine_heads(mixed)))
        return output, weights if return_attention else None

    def extra_repr(self) -> str:
        d_model, bias = self.W_O.in_features, self.W_O.bias is not None
        return f"d_model={d_model}, num_heads={self.num_heads}, dropout={self.output_dropout.p}, bias={bias}"
