"""A loop over heads by slices of the features, and cat."""

import numpy as np
import torch
from torch import nn


class MultiHeadAttention:
    """Multi-head attention, one head after the other."""

    def __init__(self, d_model, num_heads):
        if d_model % num_heads != 0:
            raise ValueError("num_heads must divide d_model")
        self.num_heads = num_heads
        self.head_dim = d_model // num_heads
        for name in ("W_q", "W_k", "W_v", "W_o"):
            setattr(self, name, nn.Linear(d_model, d_model))

    def forward(self, Q, K, V):
        q, k, v = self.W_q(Q), self.W_k(K), self.W_v(V)
        outs = []
        for h in range(self.num_heads):
            lo, hi = h * self.head_dim, (h + 1) * self.head_dim
            s = q[:, :, lo:hi] @ k[:, :, lo:hi].transpose(1, 2) / float(np.sqrt(self.head_dim))
            outs.append(torch.softmax(s, dim=2) @ v[:, :, lo:hi])
        return self.W_o(torch.cat(outs, dim=-1))
