"""A candidate's module that forgets to transpose the keys, so that the product does not fit."""

import math

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.0, bias=True):
        super().__init__()
        if d_model % num_heads:
            raise ValueError("num_heads must divide d_model")
        self.num_heads = num_heads
        self.W_Q = nn.Linear(d_model, d_model, bias=bias)
        self.W_K = nn.Linear(d_model, d_model, bias=bias)
        self.W_V = nn.Linear(d_model, d_model, bias=bias)
        self.W_O = nn.Linear(d_model, d_model, bias=bias)
        self.dropout = nn.Dropout(dropout)

    def attend(self, Q, K, V, mask=None):
        scores = Q @ K / math.sqrt(Q.shape[-1])
        if mask is not None:
            scores = scores.masked_fill(mask == 0, -1e9)
        weights = torch.softmax(scores, dim=-1)
        return self.dropout(weights) @ V, weights

    def forward(self, query, key, value, mask=None, return_attention=True):
        projected = (self.W_Q(query), self.W_K(key), self.W_V(value))
        heads = [x.unflatten(-1, (self.num_heads, -1)).transpose(1, 2) for x in projected]
        output, weights = self.attend(*heads, mask)
        output = self.W_O(output.transpose(1, 2).flatten(2))
        return self.dropout(output), weights if return_attention else None
