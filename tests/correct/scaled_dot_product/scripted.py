"""Compiled by TorchScript: a function that calls torch.nn.functional, and a module of torch's layers."""

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn


@torch.jit.script
def weights_of(scores: Tensor, mask: Tensor | None) -> Tensor:
    if mask is not None:
        scores = scores.masked_fill(mask.to(torch.bool), -1e30)
    return F.softmax(scores, dim=-1)


class WeightedSum(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.unchanged = nn.Sequential(nn.Identity(), nn.Dropout(0.0))

    def forward(self, weights: Tensor, v: Tensor) -> Tensor:
        return torch.matmul(self.unchanged(weights), v)


weighted_sum = torch.jit.script(WeightedSum())


def scaled_dot_product_attention(q, k, v, mask=None):
    weights = weights_of(torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(q.size(-1)), mask)
    return weighted_sum(weights, v), weights
