"""Attention is a module with a temperature, beside the one that projects; n_head, d_k, sz_b and len_q."""

import numpy as np
import torch
import torch.nn as nn


class ScaledDotProductAttention(nn.Module):
    def __init__(self, temperature, attn_dropout=0.1):
        super().__init__()
        self.temperature = temperature
        self.dropout = nn.Dropout(attn_dropout)
        self.log_softmax = nn.LogSoftmax(dim=3)

    def forward(self, q, k, v, mask=None):
        attn = torch.matmul(q / self.temperature, k.transpose(2, 3))
        if mask is not None:
            attn = attn.masked_fill(mask == 0, -1e9)
        attn = self.dropout(self.log_softmax(attn).exp())
        return torch.matmul(attn, v), attn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.0, bias=True):
        super().__init__()
        assert d_model % num_heads == 0
        self.n_head = num_heads
        self.d_k = self.d_v = d_model // num_heads

        self.W_Q = nn.Linear(d_model, num_heads * self.d_k, bias=bias)
        self.W_K = nn.Linear(d_model, num_heads * self.d_k, bias=bias)
        self.W_V = nn.Linear(d_model, num_heads * self.d_v, bias=bias)
        self.W_O = nn.Linear(num_heads * self.d_v, d_model, bias=bias)
        for w in (self.W_Q, self.W_K, self.W_V, self.W_O):
            nn.init.xavier_uniform_(w.weight)
            if bias:
                nn.init.zeros_(w.bias)

        self.attention = ScaledDotProductAttention(temperature=np.power(self.d_k, 0.5), attn_dropout=dropout)
        self.dropout = nn.Dropout(dropout)

    def forward(self, query, key, value, mask=None, need_weights=True):
        d_k, d_v, n_head = self.d_k, self.d_v, self.n_head
        sz_b, len_q, len_k, len_v = query.size(0), query.size(1), key.size(1), value.size(1)

        q = self.W_Q(query).view(sz_b, len_q, n_head, d_k)
        k = self.W_K(key).view(sz_b, len_k, n_head, d_k)
        v = self.W_V(value).view(sz_b, len_v, n_head, d_v)
        q, k, v = q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2)

        q, attn = self.attention(q, k, v, mask=mask)
        q = q.transpose(1, 2).contiguous().view(sz_b, len_q, -1)
        q = self.dropout(self.W_O(q))
        if not need_weights:
            attn = None
        return q, attn

    def extra_repr(self):
        d_model, p, bias = self.W_Q.in_features, self.dropout.p, self.W_Q.bias is not None
        return f"d_model={d_model}, num_heads={self.n_head}, dropout={p}, bias={bias}"
