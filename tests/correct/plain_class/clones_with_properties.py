"""The Annotated Transformer's list of clones; the contract's names are properties."""

import copy
import math

import torch
from torch import nn


def clones(module, n):
    return nn.ModuleList([copy.deepcopy(module) for _ in range(n)])


class MultiHeadAttention:
    def __init__(self, d_model, num_heads):
        assert d_model % num_heads == 0
        self.d_k = d_model // num_heads
        self.h = num_heads
        self.linears = clones(nn.Linear(d_model, d_model), 4)
        self.attn = None

    W_q = property(lambda self: self.linears[0])
    W_k = property(lambda self: self.linears[1])
    W_v = property(lambda self: self.linears[2])
    W_o = property(lambda self: self.linears[3])

    def forward(self, Q, K, V):
        n = Q.size(0)
        q, k, v = [
            lin(x).view(n, -1, self.h, self.d_k).transpose(1, 2)
            for lin, x in zip(self.linears, (Q, K, V), strict=False)
        ]
        scores = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(self.d_k)
        self.attn = scores.softmax(dim=-1)
        x = torch.matmul(self.attn, v).transpose(1, 2).contiguous().view(n, -1, self.h * self.d_k)
        return self.linears[-1](x)
