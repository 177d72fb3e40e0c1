"""Softmax by hand with an explicit sum over visible keys; four draws into preallocated tensors."""

import math

import torch


def softmax_over_visible(scores, visible):
    m = scores.masked_fill(~visible, torch.finfo(scores.dtype).min).max(dim=-1, keepdim=True).values
    e = torch.exp((scores - m).clamp(max=0.0)) * visible
    return e / e.sum(dim=-1, keepdim=True).clamp(min=torch.finfo(scores.dtype).tiny)


def multi_head_attention(q, k, v, num_heads, d_model, mask=None, *, return_weights=False):
    if d_model % num_heads != 0:
        raise ValueError("need d_model % num_heads == 0")
    d = d_model // num_heads
    bound_out, bound_in = 1.0 / math.sqrt(d_model), math.sqrt(6.0 / (d_model + 3 * d_model))
    w_o = torch.empty(d_model, d_model).uniform_(-bound_out, bound_out).to(q)
    w_i = torch.empty(3 * d_model, d_model).uniform_(-bound_in, bound_in).to(q)
    N, L, S = q.shape[0], q.shape[1], k.shape[1]

    Q = torch.nn.functional.linear(q, w_i[:d_model]).reshape(N, L, num_heads, d).transpose(1, 2)
    K = torch.nn.functional.linear(k, w_i[d_model:-d_model]).reshape(N, S, num_heads, d).transpose(1, 2)
    V = torch.nn.functional.linear(v, w_i[-d_model:]).reshape(N, S, num_heads, d).transpose(1, 2)

    visible = torch.ones(N, num_heads, L, S, dtype=torch.bool, device=q.device)
    if mask is not None:
        mask = mask if mask.dim() != 3 else mask.reshape(N, 1, L, S)
        visible = visible & (mask == 0)
    weights = softmax_over_visible(Q @ K.transpose(2, 3) / math.sqrt(d), visible)
    out = (weights @ V).transpose(1, 2).reshape(N, L, d_model) @ w_o.t()
    return (out, weights) if return_weights else out
