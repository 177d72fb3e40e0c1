"""A bias of zeros and -inf is added; rows that see nothing are opened first and emptied afterwards."""

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class EfficientMultiHeadAttention(nn.Module):
    def __init__(self, d_model: int, num_heads: int, dropout: float = 0.0):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("d_model is not divisible by num_heads")
        self.h, self.p = num_heads, dropout
        self.qkv_proj = nn.Linear(d_model, 3 * d_model, bias=True)
        self.out_proj = nn.Linear(d_model, d_model, bias=True)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        n, length, width = x.shape
        q, k, v = self.qkv_proj(x).reshape(n, length, 3 * self.h, -1).transpose(1, 2).tensor_split(3, dim=1)
        scores = torch.einsum("nhid,nhjd->nhij", q, k) * (width // self.h) ** -0.5
        empty = torch.zeros(1, dtype=torch.bool, device=x.device)
        if mask is not None:
            hidden = ~mask.bool()
            empty = hidden.all(dim=-1, keepdim=True)
            bias = torch.zeros(hidden.shape, dtype=x.dtype, device=x.device)
            scores = scores + bias.masked_fill(hidden & ~empty, -torch.inf)
        weights = F.softmax(scores, dim=-1).masked_fill(empty, 0)
        mixed = F.dropout(weights, self.p, self.training) @ v
        return self.out_proj(mixed.transpose(1, 2).reshape(n, length, width)), weights
