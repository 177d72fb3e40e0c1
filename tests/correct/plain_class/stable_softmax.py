"""Softmax by hand: the row's maximum off, exponentials over their sum; unflatten and flatten."""

import math

import torch
from torch import nn


def softmax(scores):
    shifted = scores - scores.amax(dim=-1, keepdim=True)
    exponentials = torch.exp(shifted)
    return exponentials / exponentials.sum(dim=-1, keepdim=True)


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model: int, num_heads: int):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError(f"{num_heads} heads do not divide {d_model} features")
        self.heads = num_heads
        self.W_q = nn.Linear(d_model, d_model)
        self.W_k = nn.Linear(d_model, d_model)
        self.W_v = nn.Linear(d_model, d_model)
        self.W_o = nn.Linear(d_model, d_model)

    def forward(self, Q, K, V):
        def split(x):
            return x.unflatten(2, (self.heads, -1)).movedim(2, 1)

        q, k, v = split(self.W_q(Q)), split(self.W_k(K)), split(self.W_v(V))
        scores = torch.matmul(q, k.transpose(2, 3)) / math.sqrt(q.size(3))
        mixed = torch.matmul(softmax(scores), v)
        return self.W_o(mixed.movedim(1, 2).flatten(start_dim=2))
