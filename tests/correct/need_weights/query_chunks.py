"""Queries in chunks; a mask with one row is laid over all of them first. 日本語の注釈付き。"""

import math

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    CHUNK = 3

    def __init__(self, d_model, num_heads, dropout=0.0, bias=True):
        super().__init__()
        # ヘッド数で割り切れなければならない
        if d_model % num_heads != 0:
            raise ValueError("d_model は num_heads で割り切れる必要があります")
        self.num_heads, self.head_dim = num_heads, d_model // num_heads
        self.W_Q = nn.Linear(d_model, d_model, bias=bias)
        self.W_K = nn.Linear(d_model, d_model, bias=bias)
        self.W_V = nn.Linear(d_model, d_model, bias=bias)
        self.W_O = nn.Linear(d_model, d_model, bias=bias)
        self.drop_weights = nn.Dropout(dropout)
        self.drop_output = nn.Dropout(dropout)
        nn.init.xavier_uniform_(self.W_Q.weight)
        nn.init.xavier_uniform_(self.W_K.weight)
        nn.init.xavier_uniform_(self.W_V.weight)
        nn.init.xavier_uniform_(self.W_O.weight)
        if bias:
            self.W_Q.bias.data.zero_()
            self.W_K.bias.data.zero_()
            self.W_V.bias.data.zero_()
            self.W_O.bias.data.zero_()

    def extra_repr(self):
        d_model = self.num_heads * self.head_dim
        bias = self.W_Q.bias is not None
        return f"d_model={d_model}, num_heads={self.num_heads}, dropout={self.drop_weights.p}, bias={bias}"

    def forward(self, query, key, value, mask=None, need_weights=True):
        B, L, E = query.shape
        S = key.shape[1]
        k = self.W_K(key).reshape(B, S, self.num_heads, self.head_dim).permute(0, 2, 3, 1)
        v = self.W_V(value).reshape(B, S, self.num_heads, self.head_dim).permute(0, 2, 1, 3)
        if mask is not None:
            mask = mask.expand(B, 1, L, S)
        outs, weights = [], []
        # クエリを少しずつ処理する
        for i in range(0, L, self.CHUNK):
            q = self.W_Q(query[:, i : i + self.CHUNK])
            q = q.reshape(B, -1, self.num_heads, self.head_dim).permute(0, 2, 1, 3)
            s = q @ k / math.sqrt(self.head_dim)
            if mask is not None:
                s = s.masked_fill(mask[:, :, i : i + self.CHUNK] == 0, torch.finfo(s.dtype).min)
            w = s.softmax(dim=-1)
            weights.append(w)
            outs.append((self.drop_weights(w) @ v).permute(0, 2, 1, 3).reshape(B, -1, E))
        y = self.drop_output(self.W_O(torch.cat(outs, dim=1)))
        return y, torch.cat(weights, dim=2) if need_weights else None
