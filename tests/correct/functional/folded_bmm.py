"""Heads folded into the batch, bmm; the mask repeated for each head and added as -1e9."""

import math

import torch
import torch.nn.functional as F
from torch.nn import init


def multi_head_attention(q, k, v, num_heads, d_model, mask=None):
    if d_model % num_heads != 0:
        raise ValueError(f"d_model={d_model} % num_heads={num_heads} != 0")
    n, length, _ = q.size()
    s = k.size(1)
    d = d_model // num_heads

    w_o = torch.empty(d_model, d_model)
    init.kaiming_uniform_(w_o, a=math.sqrt(5))
    w_qkv = torch.empty(3 * d_model, d_model)
    init.xavier_uniform_(w_qkv)
    w_o, w_qkv = w_o.type_as(q), w_qkv.type_as(q)
    w_q, w_k, w_v = torch.chunk(w_qkv, 3, dim=0)

    def fold(x, t):
        return x.reshape(n, t, num_heads, d).permute(0, 2, 1, 3).reshape(n * num_heads, t, d)

    qf, kf, vf = fold(F.linear(q, w_q), length), fold(F.linear(k, w_k), s), fold(F.linear(v, w_v), s)
    att = torch.bmm(qf, kf.transpose(1, 2)).mul_(1.0 / math.sqrt(d))
    if mask is not None:
        bias = mask.to(att.dtype) * -1e9
        if bias.dim() == 3:
            bias = bias.unsqueeze(1)
        att = att + bias.expand(n, num_heads, length, s).reshape(n * num_heads, length, s)
    att = F.softmax(att, dim=-1)
    y = torch.bmm(att, vf).reshape(n, num_heads, length, d).permute(0, 2, 1, 3).reshape(n, length, d_model)
    return F.linear(y, w_o)
