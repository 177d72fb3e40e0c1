"""Weights by logsumexp; the layers are nn.Linear whose weights are copied from one stacked draw."""

import torch
from torch import nn


def _layers(d_model, like):
    out = nn.Linear(d_model, d_model, bias=False)
    fused = nn.init.xavier_uniform_(torch.empty(3 * d_model, d_model))
    return [fused[i * d_model : (i + 1) * d_model].to(like) for i in range(3)], out.weight.detach().to(like)


def multi_head_attention(q, k, v, num_heads, d_model, mask=None):
    """在掩码中,1 或 True 表示被遮住。"""
    if d_model % num_heads > 0:
        raise ValueError("d_model 必须能被 num_heads 整除")
    (wq, wk, wv), wo = _layers(d_model, q)
    heads = [
        (x @ w.mT).reshape(x.size(0), x.size(1), num_heads, d_model // num_heads).permute(0, 2, 1, 3)
        for x, w in ((q, wq), (k, wk), (v, wv))
    ]
    # 点积除以头维度的平方根
    scores = heads[0] @ heads[1].mT * (d_model // num_heads) ** -0.5
    if mask is not None:
        # 每个序列一个掩码:在头的位置补一个轴
        m = (mask.unsqueeze(-3) if mask.dim() == 3 else mask) != 0
        scores = torch.where(m, -1e30, scores)
    weights = torch.exp(scores - torch.logsumexp(scores, -1, keepdim=True))
    return (weights @ heads[2]).permute(0, 2, 1, 3).flatten(2) @ wo.mT
