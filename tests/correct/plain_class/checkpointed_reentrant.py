"""A reentrant checkpoint, whose gradients only backward() gives, and saved tensors kept elsewhere."""

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint


class MultiHeadAttention:
    def __init__(self, d_model, num_heads):
        if d_model % num_heads:
            raise ValueError(f"{num_heads} heads of {d_model}")
        self.num_heads = num_heads
        self.W_q, self.W_k, self.W_v, self.W_o = (nn.Linear(d_model, d_model) for _ in "qkvo")

    def _split(self, layer, x):
        return layer(x).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)

    @staticmethod
    def _attend(q, k, v):
        return (q @ k.mT / q.shape[-1] ** 0.5).softmax(-1) @ v

    def forward(self, Q, K, V):
        with torch.autograd.graph.save_on_cpu():
            q, k, v = self._split(self.W_q, Q), self._split(self.W_k, K), self._split(self.W_v, V)
        attended = checkpoint(self._attend, q, k, v, use_reentrant=True)
        return self.W_o(attended.transpose(1, 2).flatten(2))
