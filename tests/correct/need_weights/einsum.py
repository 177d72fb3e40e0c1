"""einsum in one forward, no helper at all."""

import torch
from torch import Tensor, einsum, nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model: int, num_heads: int, dropout: float = 0.0, bias: bool = True) -> None:
        super().__init__()
        if d_model % num_heads:
            raise ValueError(f"{d_model=} {num_heads=}")
        self.args = {"d_model": d_model, "num_heads": num_heads, "dropout": dropout, "bias": bias}
        self.W_Q = nn.Linear(d_model, d_model, bias)
        self.W_K = nn.Linear(d_model, d_model, bias)
        self.W_V = nn.Linear(d_model, d_model, bias)
        self.W_O = nn.Linear(d_model, d_model, bias)
        for parameter in self.parameters():
            if parameter.ndim > 1:
                nn.init.xavier_uniform_(parameter)
            else:
                nn.init.zeros_(parameter)
        self.attn_dropout, self.out_dropout = nn.Dropout(dropout), nn.Dropout(dropout)

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        mask: Tensor | None = None,
        need_weights: bool = True,
    ) -> tuple[Tensor, Tensor | None]:
        h = self.args["num_heads"]
        q = self.W_Q(query).unflatten(2, (h, -1))
        k = self.W_K(key).unflatten(2, (h, -1))
        v = self.W_V(value).unflatten(2, (h, -1))
        sim = einsum("blhd,bshd->bhls", q, k) / q.size(-1) ** 0.5
        if mask is not None:
            sim = sim.masked_fill(mask.logical_not(), -torch.finfo(sim.dtype).max)
        weights = sim.softmax(-1)
        out = einsum("bhls,bshd->blhd", self.attn_dropout(weights), v).flatten(2)
        return self.out_dropout(self.W_O(out)), weights if need_weights else None

    def extra_repr(self) -> str:
        return ", ".join(f"{name}={value}" for name, value in self.args.items())
