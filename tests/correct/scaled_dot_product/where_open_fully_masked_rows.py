"""torch.where with -inf; rows that see nothing are opened before the softmax and emptied after it."""

import torch
from torch import Tensor


def scaled_dot_product_attention(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    scores = (q * q.size(-1) ** -0.5) @ k.transpose(-1, -2)
    if mask is None:
        weights = scores.softmax(-1)
        return weights @ v, weights
    masked = mask.to(torch.bool)
    fully_masked = masked.all(dim=-1, keepdim=True)
    hide = masked & ~fully_masked
    weights = torch.where(hide, scores.new_full((), -torch.inf), scores).softmax(-1)
    weights = torch.where(fully_masked, torch.zeros_like(weights), weights)
    return weights @ v, weights
