"""Each sequence by itself, with its own positions; pairs are stacked in an axis of two."""

import math

import torch
from torch import Tensor, nn


def apply_rope(x: Tensor, positions: Tensor, base: float = 10000.0) -> Tensor:
    size = x.shape[-1]
    if size % 2 == 1:
        raise ValueError("size")
    if positions.dim() == 2:
        return torch.stack([apply_rope(one, own, base) for one, own in zip(x, positions, strict=False)])
    angle = torch.outer(positions.double(), base ** torch.linspace(0, -1, size // 2 + 1, dtype=torch.float64)[:-1])
    pair = x.double().unflatten(-1, (2, size // 2))
    across = torch.stack([-pair.select(-2, 1), pair.select(-2, 0)], dim=-2)
    return (pair * angle.cos()[:, None] + across * angle.sin()[:, None]).flatten(-2).to(x.dtype)


class RotaryMultiHeadAttention(nn.Module):
    def __init__(self, d_model: int, num_heads: int, base: float = 10000.0) -> None:
        super().__init__()
        size, left = divmod(d_model, num_heads)
        if left or size % 2:
            raise ValueError("sizes")
        self.base, self.shape = base, (num_heads, size)
        self.W_Q = nn.Linear(d_model, d_model)
        self.W_K = nn.Linear(d_model, d_model)
        self.W_V = nn.Linear(d_model, d_model)
        self.W_O = nn.Linear(d_model, d_model)
        for layer in self.children():
            nn.init.orthogonal_(layer.weight)

    def one(self, x: Tensor, mask: Tensor | None, positions: Tensor) -> tuple[Tensor, Tensor]:
        q, k, v = (layer(x).unflatten(-1, self.shape).movedim(1, 0) for layer in (self.W_Q, self.W_K, self.W_V))
        scores = apply_rope(q, positions, self.base) @ apply_rope(k, positions, self.base).mT / math.sqrt(self.shape[1])
        if mask is not None:
            scores = scores.masked_fill(mask == 0, -math.inf)
        top = scores.amax(-1, keepdim=True).detach()
        exponentials = torch.where(scores == -math.inf, 0.0, (scores - torch.where(top.isfinite(), top, 0.0)).exp())
        total = exponentials.sum(-1, keepdim=True)
        weights = exponentials / torch.where(total == 0, 1.0, total)
        return self.W_O((weights @ v).movedim(0, 1).flatten(1)), weights

    def forward(self, x, mask=None, positions=None):
        positions = torch.arange(x.shape[1]) if positions is None else positions
        answers = [
            self.one(x[n], None if mask is None else mask[n], positions if positions.dim() == 1 else positions[n])
            for n in range(len(x))
        ]
        return torch.stack([one for one, _ in answers]), torch.stack([each for _, each in answers])
