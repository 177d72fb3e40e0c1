"""A bias of zeros and -inf is added to the scores; rows that see nothing are opened first and emptied afterwards."""

import math

import torch


def multi_head_attention(q, k, v, num_heads, d_model, mask=None):
    if d_model % num_heads:
        raise ValueError(f"d_model={d_model} is no multiple of num_heads={num_heads}")
    w_o = torch.nn.init.kaiming_uniform_(torch.empty(d_model, d_model), a=math.sqrt(5)).to(q)
    w_q, w_k, w_v = torch.nn.init.xavier_uniform_(torch.empty(3 * d_model, d_model)).to(q).tensor_split(3)
    n, length, _ = q.shape

    def heads(x, w):
        return torch.matmul(x, w.t()).reshape(n, x.shape[1], num_heads, -1).permute(0, 2, 1, 3)

    scores = (heads(q, w_q) * (d_model // num_heads) ** -0.5) @ heads(k, w_k).mT
    if mask is None:
        weights = scores.softmax(-1)
    else:
        hidden = (mask[:, None] if mask.ndim == 3 else mask) != 0
        fully_masked = hidden.all(-1, keepdim=True)
        bias = torch.zeros(hidden.shape, dtype=q.dtype).masked_fill_(hidden & ~fully_masked, -math.inf)
        weights = (scores + bias).softmax(-1) * (~fully_masked)
    mixed = (weights @ heads(v, w_v)).permute(0, 2, 1, 3).reshape(n, length, d_model)
    return mixed @ w_o.t()
