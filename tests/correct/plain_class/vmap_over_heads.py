"""One head as a function of matrices, mapped over heads and batch by torch.vmap."""

import torch
from torch import Tensor, nn


def one_head(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """(L, D), (S, D), (S, D) to (L, D)."""
    return torch.softmax(q @ k.T / q.shape[-1] ** 0.5, dim=-1) @ v


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model: int, num_heads: int):
        super().__init__()
        if d_model % num_heads:
            raise ValueError("d_model, num_heads: no whole head size")
        self.num_heads = num_heads
        self.W_q = nn.Linear(d_model, d_model)
        self.W_k = nn.Linear(d_model, d_model)
        self.W_v = nn.Linear(d_model, d_model)
        self.W_o = nn.Linear(d_model, d_model)
        self._all = torch.vmap(torch.vmap(one_head, in_dims=1, out_dims=1))

    def forward(self, Q: Tensor, K: Tensor, V: Tensor) -> Tensor:
        parts = (layer(x).unflatten(-1, (self.num_heads, -1)) for layer, x in self._inputs(Q, K, V))
        return self.W_o(self._all(*parts).flatten(2))

    def _inputs(self, Q, K, V):
        return (self.W_q, Q), (self.W_k, K), (self.W_v, V)
