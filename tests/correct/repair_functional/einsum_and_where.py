"""Sums by einsum, the mask by where."""

import math

import torch
import torch.nn.functional as F
from torch import nn


def multi_head_attention(q, k, v, num_heads, d_model, mask=None):
    if d_model % num_heads != 0:
        raise ValueError("heads do not divide the size")
    w_o = nn.init.kaiming_uniform_(torch.empty(d_model, d_model), a=math.sqrt(5)).to(q)
    w_q, w_k, w_v = nn.init.xavier_uniform_(torch.empty(3 * d_model, d_model)).to(q).chunk(3)
    heads = (num_heads, d_model // num_heads)
    queries, keys, values = (
        F.linear(x, w).unflatten(-1, heads).transpose(1, 2) for x, w in ((q, w_q), (k, w_k), (v, w_v))
    )
    scores = torch.einsum("nhld,nhsd->nhls", queries, keys) / math.sqrt(heads[1])
    if mask is not None:
        masked = mask != 0
        masked = masked.unsqueeze(1) if masked.dim() == 3 else masked
        scores = torch.where(masked, -math.inf, scores)
    weights = torch.softmax(scores, -1)
    if mask is not None:
        weights = torch.where(masked, 0.0, weights)
    return F.linear((weights @ values).transpose(1, 2).flatten(2), w_o)
