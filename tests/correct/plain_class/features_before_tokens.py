"""Heads laid out as [N, H, D, T]."""

import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("bad heads")
        self.n_head = num_heads
        self.W_q = nn.Linear(d_model, d_model)
        self.W_k = nn.Linear(d_model, d_model)
        self.W_v = nn.Linear(d_model, d_model)
        self.W_o = nn.Linear(d_model, d_model)

    def forward(self, Q, K, V):
        B, L, E = Q.shape
        S = K.shape[1]
        D = E // self.n_head
        q = self.W_q(Q).permute(0, 2, 1).reshape(B, self.n_head, D, L)
        k = self.W_k(K).permute(0, 2, 1).reshape(B, self.n_head, D, S)
        v = self.W_v(V).permute(0, 2, 1).reshape(B, self.n_head, D, S)
        w = torch.einsum("bhdl,bhds->bhls", q * D**-0.5, k).softmax(-1)
        o = torch.einsum("bhls,bhds->bhdl", w, v).reshape(B, E, L).permute(0, 2, 1)
        return self.W_o(o)
