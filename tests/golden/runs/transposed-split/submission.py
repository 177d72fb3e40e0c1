"""A candidate's class that cuts the heads out of the sequence: a view to (N, H, L, D) without a transpose."""

import math

import torch
from torch import nn


class MultiHeadAttention:
    def __init__(self, d_model, num_heads):
        assert d_model % num_heads == 0
        self.num_heads = num_heads
        self.W_q = nn.Linear(d_model, d_model)
        self.W_k = nn.Linear(d_model, d_model)
        self.W_v = nn.Linear(d_model, d_model)
        self.W_o = nn.Linear(d_model, d_model)

    def split(self, x):
        N, L, E = x.shape
        return x.view(N, self.num_heads, L, E // self.num_heads)

    def forward(self, Q, K, V):
        q, k, v = self.split(self.W_q(Q)), self.split(self.W_k(K)), self.split(self.W_v(V))
        weights = torch.softmax(q @ k.mT / math.sqrt(q.shape[-1]), dim=-1)
        return self.W_o((weights @ v).transpose(1, 2).flatten(2))
