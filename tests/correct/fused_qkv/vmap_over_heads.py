"""One head on one sequence, mapped over heads and batch by torch.vmap; dropout between two mapped parts."""

import torch
from torch import Tensor, nn
from torch.func import vmap


def weigh(q: Tensor, k: Tensor, visible: Tensor) -> Tensor:
    """(L, D), (L, D), (L, L) to (L, L)."""
    scores = torch.where(visible, q @ k.T / q.shape[-1] ** 0.5, -1e9)
    return scores.softmax(dim=-1)


class EfficientMultiHeadAttention(nn.Module):
    def __init__(self, d_model: int, num_heads: int, dropout: float = 0.0) -> None:
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("d_model must be divisible by num_heads")
        self.num_heads = num_heads
        self.qkv_proj = nn.Linear(d_model, 3 * d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        B, L, _ = x.shape
        q, k, v = (torch.stack(part.chunk(self.num_heads, -1), 1) for part in self.qkv_proj(x).chunk(3, -1))
        visible = torch.ones(B, self.num_heads, L, L, dtype=torch.bool, device=x.device)
        if mask is not None:
            visible = visible & mask.bool()
        weights = vmap(vmap(weigh))(q, k, visible)
        heads = vmap(vmap(torch.mm))(self.dropout(weights), v)
        return self.out_proj(torch.cat(heads.unbind(1), dim=-1)), weights
