"""All three projections in one batched product where the lengths agree, on padded streams where they do not."""

import math

import torch
from torch import nn
from torch.nn import functional as F


def multi_head_attention(q, k, v, num_heads, d_model, mask=None):
    if d_model % num_heads != 0:
        raise ValueError("d_model must be divisible by num_heads")
    w_o = nn.Linear(d_model, d_model, bias=False, device="cpu")
    w = torch.empty(3, d_model, d_model, device="cpu")
    nn.init.xavier_uniform_(w.view(3 * d_model, d_model))
    w_o, w = w_o.weight.detach().to(q), w.to(q)

    longest = max(q.shape[1], k.shape[1])
    streams = torch.stack([F.pad(x, (0, 0, 0, longest - x.shape[1])) for x in (q, k, v)])  # (3, N, T, E)
    projected = torch.matmul(streams, w.mT[:, None]).unflatten(-1, (num_heads, -1)).transpose(2, 3)
    query, key, value = projected[0, :, :, : q.shape[1]], projected[1, :, :, : k.shape[1]], projected[2]
    value = value[:, :, : k.shape[1]]

    scores = query @ key.mT / math.sqrt(d_model // num_heads)
    if mask is not None:
        hidden = mask.bool() if mask.dim() != 3 else mask.bool()[:, None]
        scores = scores.masked_fill(hidden, -math.inf)
    weights = torch.nan_to_num(scores.softmax(dim=-1))
    return F.linear((weights @ value).transpose(1, 2).flatten(2), w_o)
