"""Heads attend in float64 and are cast back; scale split over q and k; dropped weights are returned. 한국어 주석."""

import torch
from torch import Tensor, nn


class EfficientMultiHeadAttention(nn.Module):
    def __init__(self, d_model: int, num_heads: int, dropout: float = 0.0) -> None:
        super().__init__()
        # 나누어떨어지지 않으면 오류
        if d_model % num_heads != 0:
            raise ValueError("d_model은 num_heads로 나누어떨어져야 합니다")
        self.num_heads = num_heads
        self.qkv_proj = nn.Linear(d_model, 3 * d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        q, k, v = self.qkv_proj(x).double().unflatten(-1, (3, self.num_heads, -1)).permute(2, 0, 3, 1, 4)
        # 스케일을 q와 k에 나누어 곱한다
        root = q.size(-1) ** -0.25
        scores = (q * root) @ (k * root).transpose(-1, -2)
        if mask is not None:
            scores = scores + torch.where(mask == 0, -1e9, 0.0)
        weights = self.dropout(scores.softmax(dim=-1))
        merged = (weights @ v).transpose(1, 2).flatten(2).to(x.dtype)
        return self.out_proj(merged), weights.to(x.dtype)
