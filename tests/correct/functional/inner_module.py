"""A module made inside the function, derived from a base that draws in reset_parameters."""

import math

import torch
from torch import Tensor, nn


class Weights(nn.Module):
    def __init__(self, d_model: int) -> None:
        super().__init__()
        self.out_proj = nn.Parameter(torch.empty(d_model, d_model))
        self.in_proj = nn.Parameter(torch.empty(3, d_model, d_model))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        nn.init.kaiming_uniform_(self.out_proj, a=math.sqrt(5))
        nn.init.xavier_uniform_(self.in_proj.data.view(-1, self.in_proj.size(-1)))


class Attention(Weights):
    def __init__(self, d_model: int, num_heads: int) -> None:
        if d_model % num_heads != 0:
            raise ValueError(f"d_model ({d_model}) must be divisible by num_heads ({num_heads})")
        super().__init__(d_model)
        self.num_heads = num_heads

    def _project(self, x: Tensor, which: int) -> Tensor:
        return (x @ self.in_proj[which].T).unflatten(-1, (self.num_heads, -1)).movedim(2, 1)

    def forward(self, q: Tensor, k: Tensor, v: Tensor, hidden: Tensor | None) -> Tensor:
        query, key, value = (self._project(x, i) for i, x in enumerate((q, k, v)))
        logits = query.mul(query.size(-1) ** -0.5) @ key.mT
        if hidden is not None:
            fully_masked = hidden.all(-1, keepdim=True)
            logits = logits.masked_fill(hidden & ~fully_masked, -torch.inf)
        return (logits.softmax(-1) @ value).movedim(1, 2).flatten(2) @ self.out_proj.T


def multi_head_attention(q, k, v, num_heads, d_model, mask=None):
    layer = Attention(d_model, num_heads).to(q)
    if mask is not None:
        mask = mask.bool()
        mask = mask[:, None] if mask.dim() == 3 else mask
    return layer(q, k, v, mask)
