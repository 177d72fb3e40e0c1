"""Queries in chunks of 2, each projected, attended and mixed on its own."""

import math

import torch
from torch.nn.functional import linear, softmax


def multi_head_attention(q, k, v, num_heads, d_model, mask=None, chunk_size=2):
    if d_model % num_heads:
        raise ValueError(f"d_model {d_model}, num_heads {num_heads}: not divisible")
    size = (num_heads, d_model // num_heads)
    out_weight = torch.nn.init.kaiming_uniform_(torch.empty(d_model, d_model), a=math.sqrt(5)).to(q)
    in_weight = torch.nn.init.xavier_uniform_(torch.empty(3 * d_model, d_model)).to(q)
    key = linear(k, in_weight[d_model : 2 * d_model]).unflatten(-1, size).permute(0, 2, 3, 1)
    value = linear(v, in_weight[2 * d_model :]).unflatten(-1, size).permute(0, 2, 1, 3)
    if mask is not None:
        mask = mask.to(torch.bool)
        mask = mask[:, None] if mask.dim() == 3 else mask
        mask = torch.broadcast_to(mask, (q.size(0), num_heads, q.size(1), k.size(1)))

    chunks = []
    for start in range(0, q.size(1), chunk_size):
        part = slice(start, start + chunk_size)
        query = linear(q[:, part], in_weight[:d_model]).unflatten(-1, size).permute(0, 2, 1, 3)
        logits = query @ key / size[1] ** 0.5
        if mask is not None:
            logits = logits.masked_fill(mask[:, :, part], torch.finfo(logits.dtype).min)
        attended = (softmax(logits, dim=-1) @ value).permute(0, 2, 1, 3).flatten(2)
        chunks.append(linear(attended, out_weight))
    return torch.cat(chunks, dim=1)
