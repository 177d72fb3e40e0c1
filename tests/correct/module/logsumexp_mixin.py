"""The attention in a mixin, the layers in a base class; weights are exp(scores - logsumexp)."""

import math

import torch
from torch import nn


class Projections(nn.Module):
    def __init__(self, d_model, num_heads, dropout, bias):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("d_model % num_heads != 0")
        self.d_model, self.num_heads = d_model, num_heads
        self.head_dim = d_model // num_heads
        self.dropout, self.bias = dropout, bias
        self.W_Q = nn.Linear(d_model, d_model, bias=bias)
        self.W_K = nn.Linear(d_model, d_model, bias=bias)
        self.W_V = nn.Linear(d_model, d_model, bias=bias)
        self.W_O = nn.Linear(d_model, d_model, bias=bias)
        self.reset_parameters()

    def reset_parameters(self):
        for layer in self.children():
            nn.init.xavier_uniform_(layer.weight)
            if layer.bias is not None:
                nn.init.zeros_(layer.bias)


class LogSpaceAttention:
    def _scaled_dot_product_attention(self, Q, K, V, mask=None):
        scores = Q @ K.mT / math.sqrt(self.head_dim)
        if mask is not None:
            scores = scores.masked_fill(mask == 0, -math.inf)
        norm = torch.logsumexp(scores, dim=-1, keepdim=True)
        weights = torch.exp(scores - torch.where(norm.isfinite(), norm, 0.0))
        weights = nn.functional.dropout(weights, p=self.dropout, training=self.training)
        return weights @ V, weights


class MultiHeadAttention(LogSpaceAttention, Projections):
    def __init__(self, d_model, num_heads, dropout=0.0, bias=True):
        super().__init__(d_model, num_heads, dropout, bias)

    def _split_heads(self, x):
        return x.unflatten(-1, (self.num_heads, self.head_dim)).permute(0, 2, 1, 3)

    def _combine_heads(self, x):
        return x.permute(0, 2, 1, 3).flatten(2)

    def forward(self, query, key, value, mask=None, return_attention=True):
        projected = self.W_Q(query), self.W_K(key), self.W_V(value)
        heads, weights = self._scaled_dot_product_attention(*map(self._split_heads, projected), mask)
        output = self.W_O(self._combine_heads(heads))
        output = nn.functional.dropout(output, p=self.dropout, training=self.training)
        return output, weights if return_attention else None

    def extra_repr(self):
        return f"d_model={self.d_model}, num_heads={self.num_heads}, dropout={self.dropout}, bias={self.bias}"
