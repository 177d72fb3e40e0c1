"""Heads folded into the batch, bmm, and back by cat along the features."""

import math

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads:
            raise ValueError("hidden size is not a multiple of the number of heads")
        self.num_heads = num_heads
        self.W_q = nn.Linear(d_model, d_model)
        self.W_k = nn.Linear(d_model, d_model)
        self.W_v = nn.Linear(d_model, d_model)
        self.W_o = nn.Linear(d_model, d_model)

    def forward(self, Q, K, V):
        H = self.num_heads
        # (H * N, T, D): all sequences of head 0, then all of head 1, ...
        q = torch.cat(torch.chunk(self.W_q(Q), H, dim=2), dim=0)
        k = torch.cat(torch.chunk(self.W_k(K), H, dim=2), dim=0)
        v = torch.cat(torch.chunk(self.W_v(V), H, dim=2), dim=0)
        att = torch.bmm(q, k.permute(0, 2, 1))
        att = att / math.sqrt(q.size(2))
        att = nn.functional.softmax(att, dim=2)
        out = torch.bmm(att, v)
        return self.W_o(torch.cat(torch.chunk(out, H, dim=0), dim=2))
