"""A loop over heads by slices of the weights, cat at the end."""

import math

import torch


def _draw(d_model):
    out = torch.empty(d_model, d_model)
    torch.nn.init.kaiming_uniform_(out, a=math.sqrt(5))
    stacked = torch.empty(3 * d_model, d_model)
    torch.nn.init.xavier_uniform_(stacked)
    return out, stacked


def multi_head_attention(q, k, v, num_heads, d_model, mask=None):
    if d_model % num_heads != 0:
        raise ValueError("num_heads does not divide d_model")
    hd = d_model // num_heads
    w_o, w_in = (w.to(q) for w in _draw(d_model))
    w_q, w_k, w_v = w_in[:d_model], w_in[d_model : 2 * d_model], w_in[2 * d_model :]
    if mask is not None:
        n, length, s = len(q), q.shape[1], k.shape[1]
        mask = mask.bool()
        mask = mask.unsqueeze(1) if mask.dim() == 3 else mask
        mask = mask.expand(n, num_heads, length, s)

    heads = []
    for h in range(num_heads):
        rows = slice(h * hd, (h + 1) * hd)
        score = (q @ w_q[rows].T) @ (k @ w_k[rows].T).transpose(1, 2) / math.sqrt(hd)
        if mask is not None:
            score = torch.where(mask[:, h], torch.full_like(score, -math.inf), score)
        weight = torch.softmax(score, dim=-1)
        if mask is not None:
            weight = torch.where(mask[:, h], torch.zeros_like(weight), weight)
        heads.append(weight @ (v @ w_v[rows].T))
    return torch.cat(heads, dim=-1) @ w_o.T
