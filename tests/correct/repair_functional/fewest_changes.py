"""The colleague's layers keep their names, and are filled with what PyTorch draws."""

import math

import torch
from torch import nn


def multi_head_attention(q, k, v, num_heads, d_model, mask=None):
    if d_model % num_heads != 0:
        raise ValueError("heads do not divide the size")
    d_head = d_model // num_heads
    out_proj = nn.Linear(d_model, d_model, bias=False).to(q)
    stacked = torch.empty(3 * d_model, d_model)
    nn.init.xavier_uniform_(stacked)
    q_weight, k_weight, v_weight = stacked.to(q).chunk(3)

    def split(x):
        return x.view(x.shape[0], x.shape[1], num_heads, d_head).transpose(1, 2)

    queries, keys, values = split(q @ q_weight.T), split(k @ k_weight.T), split(v @ v_weight.T)
    scores = torch.matmul(queries, keys.transpose(-2, -1)) / math.sqrt(d_head)
    if mask is not None:
        masked = mask == 1
        if masked.dim() == 3:
            masked = masked[:, None]
        scores = scores.masked_fill(masked, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights.masked_fill(masked, 0.0)
    context = torch.matmul(weights, values).transpose(1, 2).reshape(q.shape[0], q.shape[1], d_model)
    return out_proj(context)
