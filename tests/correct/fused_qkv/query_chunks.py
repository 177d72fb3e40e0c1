"""All keys at once, queries in chunks of 4, the results joined along the length."""

import torch
from torch import Tensor, nn


class EfficientMultiHeadAttention(nn.Module):
    def __init__(self, d_model: int, num_heads: int, dropout: float = 0.0, *, chunk: int = 4) -> None:
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("d_model must be divisible by num_heads")
        self.num_heads, self.chunk = num_heads, chunk
        self.qkv_proj = nn.Linear(d_model, 3 * d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.dropout = nn.Dropout(dropout)

    def _attend(self, q: Tensor, k: Tensor, v: Tensor, hidden: Tensor | None) -> tuple[Tensor, Tensor]:
        scores = q @ k.transpose(-1, -2)
        if hidden is None:
            weights = scores.softmax(dim=-1)
        else:
            weights = scores.masked_fill(hidden, -torch.inf).softmax(dim=-1).masked_fill(hidden, 0.0)
        return self.dropout(weights) @ v, weights

    def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        B, L, E = x.shape
        q, k, v = self.qkv_proj(x).unflatten(-1, (3, self.num_heads, -1)).movedim((2, 3), (0, 2))
        q = q * q.size(-1) ** -0.5
        hidden = None if mask is None else torch.broadcast_to(mask == 0, (B, self.num_heads, L, L))
        parts = []
        for i in range(0, L, self.chunk):
            rows = slice(i, i + self.chunk)
            parts.append(self._attend(q[:, :, rows], k, v, None if hidden is None else hidden[:, :, rows]))
        merged = torch.cat([out for out, _ in parts], dim=2).transpose(1, 2).reshape(B, L, E)
        return self.out_proj(merged), torch.cat([weights for _, weights in parts], dim=2)
