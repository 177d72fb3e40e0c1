"""Online softmax over blocks of 4 keys."""

import math

import torch
from torch import Tensor, nn


def blockwise(q: Tensor, k: Tensor, v: Tensor, hidden: Tensor | None, block: int = 4) -> Tensor:
    """Attention on (N, H, T, D), a block of keys at a time."""
    m = q.new_full((*q.shape[:-1], 1), torch.finfo(q.dtype).min)
    z = torch.zeros_like(m)
    acc = torch.zeros_like(q)
    for i in range(0, k.size(2), block):
        s = q @ k[:, :, i : i + block].transpose(2, 3) / math.sqrt(q.size(3))
        if hidden is not None:
            s = s.masked_fill(hidden[..., i : i + block], float("-inf"))
        m_new = torch.maximum(m, s.amax(dim=-1, keepdim=True))
        p = (s - m_new).exp()
        c = (m - m_new).exp()
        z = z * c + p.sum(-1, keepdim=True)
        acc = acc * c + p @ v[:, :, i : i + block]
        m = m_new
    return acc / z.masked_fill(z == 0, 1.0)


def multi_head_attention(q, k, v, num_heads, d_model, mask=None):
    if d_model % num_heads != 0:
        raise ValueError("d_model must be divisible by num_heads")
    w_o = nn.init.kaiming_uniform_(torch.empty(d_model, d_model), a=math.sqrt(5)).to(q)
    w_q, w_k, w_v = nn.init.xavier_uniform_(torch.empty(3 * d_model, d_model)).to(q).chunk(3)

    def split(x):
        return x.unflatten(-1, (num_heads, d_model // num_heads)).transpose(1, 2)

    hidden = None
    if mask is not None:
        hidden = mask.bool()
        if hidden.dim() == 3:
            hidden = hidden.unsqueeze(1)
        hidden = hidden.expand(*hidden.shape[:-1], k.size(1))
    out = blockwise(split(q @ w_q.T), split(k @ w_k.T), split(v @ w_v.T), hidden)
    return out.transpose(1, 2).flatten(2) @ w_o.T
