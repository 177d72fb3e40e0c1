"""Log-weights as scores minus logsumexp, in a class derived from a base that owns the layers."""

import torch
from torch import Tensor, nn


class FusedProjection(nn.Module):
    def __init__(self, d_model: int, num_heads: int) -> None:
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("d_model must be divisible by num_heads")
        self.num_heads = num_heads
        self.qkv_proj = nn.Linear(d_model, 3 * d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        nn.init.xavier_uniform_(self.qkv_proj.weight)
        nn.init.zeros_(self.qkv_proj.bias)

    def project(self, x: Tensor) -> tuple[Tensor, ...]:
        return tuple(
            part.unflatten(-1, (self.num_heads, -1)).swapdims(1, 2)
            for part in torch.split(self.qkv_proj(x), x.size(-1), dim=-1)
        )


class EfficientMultiHeadAttention(FusedProjection):
    def __init__(self, d_model: int, num_heads: int, dropout: float = 0.0) -> None:
        super().__init__(d_model, num_heads)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        q, k, v = self.project(x)
        scores = q @ k.mT / q.size(-1) ** 0.5
        if mask is not None:
            scores = scores.masked_fill(mask == 0, -1e30)
        weights = (scores - scores.logsumexp(dim=-1, keepdim=True)).exp()
        merged = torch.cat((self.dropout(weights) @ v).unbind(1), dim=-1)
        return self.out_proj(merged), weights
