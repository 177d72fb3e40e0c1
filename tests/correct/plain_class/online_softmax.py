"""Online softmax over blocks of keys: no full row of scores is ever held."""

import torch
from torch import Tensor, nn


class MultiHeadAttention(nn.Module):
    BLOCK = 3

    def __init__(self, d_model: int, num_heads: int) -> None:
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("d_model must be a multiple of num_heads")
        self.num_heads = num_heads
        self.W_q = nn.Linear(d_model, d_model)
        self.W_k = nn.Linear(d_model, d_model)
        self.W_v = nn.Linear(d_model, d_model)
        self.W_o = nn.Linear(d_model, d_model)

    def forward(self, Q: Tensor, K: Tensor, V: Tensor) -> Tensor:
        q = self._split(self.W_q(Q))
        k = self._split(self.W_k(K))
        v = self._split(self.W_v(V))
        q = q * q.size(-1) ** -0.5

        top = torch.full_like(q[..., :1], -torch.inf)
        total = torch.zeros_like(top)
        acc = torch.zeros_like(q)
        for kb, vb in zip(k.split(self.BLOCK, dim=2), v.split(self.BLOCK, dim=2), strict=True):
            s = q @ kb.transpose(-2, -1)
            new_top = torch.maximum(top, s.amax(dim=-1, keepdim=True))
            p = torch.exp(s - new_top)
            fade = torch.exp(top - new_top)
            total = fade * total + p.sum(dim=-1, keepdim=True)
            acc = fade * acc + p @ vb
            top = new_top
        return self.W_o((acc / total).transpose(1, 2).flatten(2))

    def _split(self, x: Tensor) -> Tensor:
        return x.unflatten(2, (self.num_heads, -1)).transpose(1, 2)
