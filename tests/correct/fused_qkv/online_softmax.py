"""Online softmax over blocks of 5 keys, with the exponentials kept for the weights."""

import torch
from torch import nn


class EfficientMultiHeadAttention(nn.Module):
    block = 5

    def __init__(self, d_model, num_heads, dropout=0.0):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("d_model must be divisible by num_heads")
        self.heads = num_heads
        self.qkv_proj = nn.Linear(d_model, 3 * d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        b, length, e = x.shape
        q, k, v = self.qkv_proj(x).reshape(b, length, 3, self.heads, -1).transpose(1, 3).unbind(2)
        q = q / (e // self.heads) ** 0.5
        if mask is not None:
            mask = (mask == 0).expand(b, self.heads, length, length)

        m = q.new_full((b, self.heads, length, 1), torch.finfo(q.dtype).min)
        z = torch.zeros_like(m)
        acc = torch.zeros_like(q)
        exps = []
        for j in range(0, length, self.block):
            s = q @ k[:, :, j : j + self.block].transpose(2, 3)
            if mask is not None:
                s = s.masked_fill(mask[..., j : j + self.block], float("-inf"))
            m_new = torch.maximum(m, s.max(dim=-1, keepdim=True).values)
            p, c = torch.exp(s - m_new), torch.exp(m - m_new)
            exps = [c * old for old in exps]
            exps.append(p)
            z = c * z + p.sum(dim=-1, keepdim=True)
            acc = c * acc + self.dropout(p) @ v[:, :, j : j + self.block]
            m = m_new
        z = z + (z == 0)
        y = (acc / z).transpose(1, 2).reshape(b, length, e)
        return self.out_proj(y), torch.cat(exps, dim=-1) / z
