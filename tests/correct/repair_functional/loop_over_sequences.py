"""Each sequence by itself, under its own mask."""

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
    scores = queries @ keys.mT / math.sqrt(heads[1])
    rows = []
    for n, of_one in enumerate(scores):
        if mask is not None:
            masked = mask != 0 if mask.dim() < 3 else (mask != 0)[n % len(mask)]
            of_one = torch.softmax(of_one.masked_fill(masked, -math.inf), -1).masked_fill(masked, 0.0)
        else:
            of_one = torch.softmax(of_one, -1)
        rows.append(of_one)
    weights = torch.stack(rows)
    return F.linear((weights @ values).transpose(1, 2).flatten(2), w_o)
