"""Projections and attention checkpointed together; only the inputs are kept for the backward pass."""

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.0, bias=True):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("d_model must be divisible by num_heads")
        self.d_model, self.num_heads, self.bias = d_model, num_heads, bias
        self.W_Q = nn.Linear(d_model, d_model, bias=bias)
        self.W_K = nn.Linear(d_model, d_model, bias=bias)
        self.W_V = nn.Linear(d_model, d_model, bias=bias)
        self.W_O = nn.Linear(d_model, d_model, bias=bias)
        self.dropout = nn.Dropout(dropout)
        for w in (self.W_Q, self.W_K, self.W_V, self.W_O):
            nn.init.xavier_uniform_(w.weight)
            if bias:
                nn.init.zeros_(w.bias)

    def _split_heads(self, x):
        return x.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)

    def _combine_heads(self, x):
        return x.transpose(1, 2).flatten(2)

    def _scaled_dot_product_attention(self, Q, K, V, mask=None):
        scores = Q.matmul(K.transpose(-2, -1)).div(K.size(-1) ** 0.5)
        if mask is not None:
            scores = scores.masked_fill(mask == 0, float("-inf"))
        weights = scores.softmax(-1).nan_to_num(nan=0.0)
        return self.dropout(weights).matmul(V), weights

    def _run(self, query, key, value, mask):
        Q = self._split_heads(self.W_Q(query))
        K = self._split_heads(self.W_K(key))
        V = self._split_heads(self.W_V(value))
        heads, weights = self._scaled_dot_product_attention(Q, K, V, mask)
        return self.dropout(self.W_O(self._combine_heads(heads))), weights

    def forward(self, query, key, value, mask=None, return_attention=True):
        if torch.is_grad_enabled():
            output, weights = checkpoint(self._run, query, key, value, mask, use_reentrant=False)
        else:
            output, weights = self._run(query, key, value, mask)
        return output, weights if return_attention else None

    def extra_repr(self):
        return f"d_model={self.d_model}, num_heads={self.num_heads}, dropout={self.dropout.p}, bias={self.bias}"
