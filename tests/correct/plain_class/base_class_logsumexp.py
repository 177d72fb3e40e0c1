"""Derived from an abstract base class; weights by logsumexp."""

from abc import ABC, abstractmethod

import torch
from torch import nn


class AttentionBase(nn.Module, ABC):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("embedding and heads do not match")
        self.num_heads = num_heads
        self.head_dim = d_model // num_heads
        self.W_q = nn.Linear(d_model, d_model)
        self.W_k = nn.Linear(d_model, d_model)
        self.W_v = nn.Linear(d_model, d_model)
        self.W_o = nn.Linear(d_model, d_model)

    @abstractmethod
    def log_weights(self, scores): ...

    def forward(self, Q, K, V):
        def heads(x):
            return x.reshape(*x.shape[:2], self.num_heads, self.head_dim).movedim(2, 1)

        q, k, v = heads(self.W_q(Q)), heads(self.W_k(K)), heads(self.W_v(V))
        weights = self.log_weights(q @ k.transpose(2, 3) / self.head_dim**0.5).exp()
        return self.W_o((weights @ v).movedim(1, 2).flatten(start_dim=2))


class MultiHeadAttention(AttentionBase):
    def log_weights(self, scores):
        return scores - torch.logsumexp(scores, dim=-1, keepdim=True)
