"""The draws by nn.Linear and an empty Parameter, in PyTorch's order; view and transpose, masked_fill."""

import math

import torch
import torch.nn as nn


def multi_head_attention(q, k, v, num_heads, d_model, mask=None):
    if d_model % num_heads != 0:
        raise ValueError("d_model must be divisible by num_heads")
    head_dim = d_model // num_heads
    batch, q_len, _ = q.shape

    # nn.MultiheadAttention makes out_proj before it fills in_proj_weight
    out_proj = nn.Linear(d_model, d_model, bias=False)
    in_proj_weight = nn.Parameter(torch.empty(3 * d_model, d_model))
    nn.init.xavier_uniform_(in_proj_weight)
    out_proj = out_proj.to(device=q.device, dtype=q.dtype)
    w_q, w_k, w_v = in_proj_weight.to(q).split(d_model)

    def split(x, w):
        return (x @ w.T).view(batch, -1, num_heads, head_dim).transpose(1, 2)

    query, key, value = split(q, w_q), split(k, w_k), split(v, w_v)
    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(head_dim)
    if mask is not None:
        mask = mask.bool()
        if mask.dim() == 3:
            mask = mask.unsqueeze(1)
        scores = scores.masked_fill(mask, float("-inf"))
    attn = torch.softmax(scores, dim=-1).nan_to_num(0.0)
    out = torch.matmul(attn, value).transpose(1, 2).contiguous().view(batch, q_len, d_model)
    return out_proj(out)
