"""torch.where before the softmax and after it; the scale is on the query."""

import math

import torch
import torch.nn.functional as F
from torch import Tensor


def visible(mask: Tensor) -> Tensor:
    return (mask if mask.dim() != 3 else mask[:, None]) == 0


def multi_head_attention(q: Tensor, k: Tensor, v: Tensor, num_heads: int, d_model: int, mask=None) -> Tensor:
    head_dim, rest = divmod(d_model, num_heads)
    if rest:
        raise ValueError(f"{d_model} = {head_dim} * {num_heads} + {rest}: nothing may be left over")
    out = torch.nn.init.kaiming_uniform_(torch.empty(d_model, d_model), a=math.sqrt(5)).to(q)
    query, key, value = torch.nn.init.xavier_uniform_(torch.empty(3 * d_model, d_model)).to(q).chunk(3)

    def split(x: Tensor, weight: Tensor) -> Tensor:
        return F.linear(x, weight).view(x.size(0), x.size(1), num_heads, head_dim).transpose(1, 2)

    scores = (split(q, query) / math.sqrt(head_dim)) @ split(k, key).transpose(2, 3)
    if mask is None:
        weights = F.softmax(scores, dim=3)
    else:
        seen = visible(mask)
        weights = F.softmax(torch.where(seen, scores, torch.finfo(scores.dtype).min), dim=3)
        weights = torch.where(seen, weights, 0.0)
    merged = (weights @ split(v, value)).transpose(1, 2).reshape(q.shape)
    return F.linear(merged, out)
