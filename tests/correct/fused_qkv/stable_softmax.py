"""Softmax by hand; hidden keys are multiplied away and rows that see nothing are divided by 1."""

import math

import torch
from torch import Tensor, nn


class EfficientMultiHeadAttention(nn.Module):
    """Selbstaufmerksamkeit mit einer gemeinsamen Projektion."""

    def __init__(self, d_model: int, num_heads: int, dropout: float = 0.0) -> None:
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("d_model muss durch num_heads teilbar sein")
        self.num_heads = num_heads
        self.head_dim = d_model // num_heads
        self.qkv_proj = nn.Linear(d_model, 3 * d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.dropout = nn.Dropout(dropout)

    def _split(self, x: Tensor) -> Tensor:
        return x.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)

    def _weights(self, scores: Tensor, mask: Tensor | None) -> Tensor:
        if mask is None:
            mask = torch.ones((), device=scores.device)
        sichtbar = (mask != 0).to(scores.dtype)
        # Das Maximum der sichtbaren Werte abziehen, damit exp nicht überläuft
        oben = scores.masked_fill(sichtbar == 0, -math.inf).amax(dim=-1, keepdim=True)
        oben = oben.masked_fill(oben == -math.inf, 0.0).detach()
        e = (scores - oben).clamp(max=0.0).exp() * sichtbar
        summe = e.sum(dim=-1, keepdim=True)
        return e / torch.where(summe == 0, torch.ones_like(summe), summe)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        q, k, v = (self._split(part) for part in self.qkv_proj(x).tensor_split(3, dim=-1))
        weights = self._weights(q @ k.mT / math.sqrt(self.head_dim), mask)
        y = (self.dropout(weights) @ v).transpose(1, 2).flatten(2)
        return self.out_proj(y), weights
