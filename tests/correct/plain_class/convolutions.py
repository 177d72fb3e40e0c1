"""Projections as convolutions of width one, layers in a dict, found by __getattr__."""

import torch.nn.functional as F
from torch import nn


class Layers:
    __slots__ = ("_kept",)

    def __init__(self, size):
        self._kept = {name: nn.Linear(size, size) for name in ("W_q", "W_k", "W_v", "W_o")}

    def __getattr__(self, name):
        if name.startswith("W_"):
            return self._kept[name]
        raise AttributeError(name)

    def apply(self, name, x):
        layer = self._kept[name]
        return F.conv1d(x.transpose(1, 2), layer.weight.unsqueeze(-1), layer.bias)


class MultiHeadAttention(Layers):
    def __init__(self, d_model, num_heads):
        super().__init__(d_model)
        self.num_heads, odd = num_heads, d_model % num_heads
        if odd:
            raise ValueError(f"{odd} features are left over")

    def forward(self, Q, K, V):
        split = (-1, self.num_heads, Q.shape[-1] // self.num_heads)
        given = zip(("W_q", "W_k", "W_v"), (Q, K, V), strict=True)
        q, k, v = (self.apply(name, x).reshape(*split, x.shape[1]) for name, x in given)
        scores = q.mT.matmul(k) / split[-1] ** 0.5
        powers = (scores - scores.amax(-1, keepdim=True).detach()).exp()
        mixed = v.matmul((powers / powers.sum(-1, keepdim=True)).mT)
        return self.apply("W_o", mixed.flatten(1, 2).mT).mT
