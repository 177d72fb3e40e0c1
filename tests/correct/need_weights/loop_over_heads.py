"""A loop over heads, stack and cat; -inf with zeros for what is hidden."""

import math

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.0, bias=True):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("d_model doit être divisible par num_heads")
        self.d_model, self.num_heads, self.p, self.has_bias = d_model, num_heads, dropout, bias
        self.W_Q = self._linear(d_model, bias)
        self.W_K = self._linear(d_model, bias)
        self.W_V = self._linear(d_model, bias)
        self.W_O = self._linear(d_model, bias)

    @staticmethod
    def _linear(d_model, bias):
        layer = nn.Linear(d_model, d_model, bias=bias)
        # Borne de Glorot, écrite à la main
        bound = math.sqrt(6 / (d_model + d_model))
        with torch.no_grad():
            layer.weight.uniform_(-bound, bound)
            if bias:
                layer.bias.zero_()
        return layer

    def _head(self, q, k, v, hidden):
        scores = q @ k.transpose(1, 2) / math.sqrt(q.shape[-1])
        if hidden is not None:
            scores = scores.masked_fill(hidden, -math.inf)
        weights = torch.softmax(scores, dim=-1)
        if hidden is not None:
            weights = weights.masked_fill(hidden, 0.0)
        return nn.functional.dropout(weights, self.p, self.training) @ v, weights

    def forward(self, query, key, value, mask=None, need_weights=True):
        hidden = None if mask is None else (mask == 0)[:, 0]
        size = self.d_model // self.num_heads
        triples = zip(
            self.W_Q(query).split(size, -1), self.W_K(key).split(size, -1), self.W_V(value).split(size, -1), strict=True
        )
        results = [self._head(*triple, hidden) for triple in triples]
        output = self.W_O(torch.cat([out for out, _ in results], dim=-1))
        output = nn.functional.dropout(output, self.p, self.training)
        if need_weights:
            return output, torch.stack([weights for _, weights in results], dim=1)
        return output, None

    def extra_repr(self):
        return f"d_model={self.d_model}, num_heads={self.num_heads}, dropout={self.p}, bias={self.has_bias}"
