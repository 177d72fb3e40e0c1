"""chunk along the features and stack the chunks: the heads come first."""

import torch
from torch import nn


class MultiHeadAttention:
    def __init__(self, d_model, num_heads):
        if d_model % num_heads != 0:
            raise ValueError(f"cannot split {d_model} features into {num_heads} heads")
        self.num_heads = num_heads
        self.scale = (d_model // num_heads) ** -0.5
        self.W_q, self.W_k, self.W_v, self.W_o = [nn.Linear(d_model, d_model) for _ in range(4)]

    def _heads(self, x):
        return torch.stack(x.chunk(self.num_heads, dim=-1))  # (H, N, T, D)

    def __call__(self, *args, **kwargs):
        return self.forward(*args, **kwargs)

    def forward(self, Q, K, V):
        q = self._heads(self.W_q(Q)) * self.scale
        k = self._heads(self.W_k(K))
        v = self._heads(self.W_v(V))
        weights = (q @ k.mT).softmax(dim=-1)
        return self.W_o(torch.cat(tuple(weights @ v), dim=-1))
