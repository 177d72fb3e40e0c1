"""Computed in float64 and cast back; the pair is a named tuple."""

import math
from typing import NamedTuple

import torch
from torch import Tensor


class AttentionCall(NamedTuple):
    output: Tensor
    attention_weights: Tensor


def scaled_dot_product_attention(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> AttentionCall:
    dtype = q.dtype
    q, k, v = q.double(), k.double(), v.double()
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    if mask is not None:
        blocked = mask.to(dtype=torch.bool, device=q.device)
        scores.masked_fill_(blocked, -math.inf)
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights.masked_fill(blocked, 0.0)
    return AttentionCall((weights @ v).to(dtype), weights.to(dtype))
