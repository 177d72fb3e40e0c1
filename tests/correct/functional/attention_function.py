"""A function for attention within a function for heads, -1e9 where hidden, as in the Annotated Transformer."""

import math

import torch
import torch.nn as nn
import torch.nn.functional as F


def attention(query, key, value, mask=None):
    d_k = query.size(-1)
    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(d_k)
    if mask is not None:
        scores = scores.masked_fill(mask == 1, -1e9)
    p_attn = F.softmax(scores, dim=-1)
    return torch.matmul(p_attn, value)


def multi_head_attention(q, k, v, num_heads, d_model, mask=None):
    assert d_model % num_heads == 0
    d_k = d_model // num_heads
    nbatches = q.size(0)
    w_o = nn.init.kaiming_uniform_(torch.empty(d_model, d_model), a=math.sqrt(5)).to(q)
    w_q, w_k, w_v = nn.init.xavier_uniform_(torch.empty(3 * d_model, d_model)).to(q).chunk(3)
    query = F.linear(q, w_q).view(nbatches, -1, num_heads, d_k).transpose(1, 2)
    key = F.linear(k, w_k).view(nbatches, -1, num_heads, d_k).transpose(1, 2)
    value = F.linear(v, w_v).view(nbatches, -1, num_heads, d_k).transpose(1, 2)
    if mask is not None and mask.dim() == 3:
        mask = mask.unsqueeze(1)
    x = attention(query, key, value, mask)
    x = x.transpose(1, 2).contiguous().view(nbatches, -1, num_heads * d_k)
    return F.linear(x, w_o)
