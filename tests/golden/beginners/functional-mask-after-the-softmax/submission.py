import torch
import torch.nn as nn
import torch.nn.functional as F

def multi_head_attention(q, k, v, num_heads, d_model, mask=None):
    assert d_model % num_heads == 0
    mha = {n: nn.Linear(d_model, d_model, bias=False, dtype=q.dtype) for n in ["q", "k", "v", "o"]}
    head_dim = d_model // num_heads
    N, L, S = q.shape[0], q.shape[1], k.shape[1]
    Q = mha["q"](q).view(N, L, num_heads, head_dim).transpose(1, 2)
    K = mha["k"](k).view(N, S, num_heads, head_dim).transpose(1, 2)
    V = mha["v"](v).view(N, S, num_heads, head_dim).transpose(1, 2)
    attn = F.softmax(Q @ K.transpose(-2, -1) / head_dim**0.5, dim=-1)
    if mask is not None:
        if mask.dim() == 3:
            mask = mask.unsqueeze(1)
        attn = attn.masked_fill(mask.bool(), 0)
    out = (attn @ V).transpose(1, 2).reshape(N, L, d_model)
    return mha["o"](out)
