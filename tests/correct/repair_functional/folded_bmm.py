"""Heads folded into the batch, bmm in and out; the mask is laid over all sequences and heads before that."""

import torch
from torch import nn


def multi_head_attention(q, k, v, num_heads, d_model, mask=None):
    if d_model % num_heads:
        raise ValueError(f"d_model={d_model} cannot be split into {num_heads} heads")
    N, L, S, d_head = q.size(0), q.size(1), k.size(1), d_model // num_heads

    out_proj = nn.Linear(d_model, d_model, bias=False)
    in_proj = nn.Parameter(torch.empty((3 * d_model, d_model)))
    nn.init.xavier_uniform_(in_proj)
    out_proj, in_proj = out_proj.to(q), in_proj.to(q)

    def project(x, part):
        x = x.matmul(in_proj[part * d_model : (part + 1) * d_model].t())
        return x.reshape(N, -1, num_heads, d_head).permute(0, 2, 1, 3).reshape(N * num_heads, -1, d_head)

    queries, keys, values = project(q, 0), project(k, 1), project(v, 2)
    scores = torch.bmm(queries, keys.permute(0, 2, 1)) * d_head**-0.5
    if mask is not None:
        if mask.ndim == 3:
            mask = mask.view(N, 1, L, S)
        hidden = mask.bool().expand(N, num_heads, L, S).reshape(N * num_heads, L, S)
        scores[hidden] = -1e9
    context = torch.bmm(scores.softmax(dim=2), values)
    context = context.reshape(N, num_heads, L, d_head).permute(0, 2, 1, 3).reshape(N, L, d_model)
    return out_proj(context)
