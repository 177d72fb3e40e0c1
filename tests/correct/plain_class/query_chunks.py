"""Queries in chunks of 4, joined along the length; softmax by hand."""

import math

import torch
from torch import nn


def softmax(x):
    x = x - x.max(dim=-1, keepdim=True).values
    e = x.exp()
    return e / e.sum(dim=-1, keepdim=True)


class MultiHeadAttention:
    def __init__(self, d_model, num_heads):
        if d_model % num_heads != 0:
            raise ValueError("d_model muss durch num_heads teilbar sein")
        self.h = num_heads
        self.d_h = d_model // num_heads
        self.W_q = nn.Linear(d_model, d_model)
        self.W_k = nn.Linear(d_model, d_model)
        self.W_v = nn.Linear(d_model, d_model)
        self.W_o = nn.Linear(d_model, d_model)

    def forward(self, Q, K, V):
        n = len(Q)
        k = self.W_k(K).reshape(n, -1, self.h, self.d_h).permute(0, 2, 3, 1)  # schon transponiert
        v = self.W_v(V).reshape(n, -1, self.h, self.d_h).permute(0, 2, 1, 3)
        parts = []
        for chunk in Q.split(4, dim=1):
            q = self.W_q(chunk).reshape(n, -1, self.h, self.d_h).permute(0, 2, 1, 3)
            heads = softmax(q @ k / math.sqrt(self.d_h)) @ v
            parts.append(heads.permute(0, 2, 1, 3).reshape(n, chunk.shape[1], self.h * self.d_h))
        return self.W_o(torch.cat(parts, dim=1))
