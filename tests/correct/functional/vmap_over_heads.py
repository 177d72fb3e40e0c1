"""One head as a function of its slices of the weights, mapped over heads by torch.vmap."""

import math

import torch
from torch import Tensor


def head(q: Tensor, k: Tensor, v: Tensor, w_q: Tensor, w_k: Tensor, w_v: Tensor, visible: Tensor) -> Tensor:
    """(N, L, E), (N, S, E), (N, S, E), three times (D, E), (N, L, S) to (N, L, D)."""
    scores = (q @ w_q.T) @ (k @ w_k.T).transpose(1, 2) / math.sqrt(w_q.shape[0])
    scores = torch.where(visible, scores, -1e9)
    return torch.softmax(scores, dim=-1) @ (v @ w_v.T)


def multi_head_attention(q, k, v, num_heads, d_model, mask=None):
    if d_model % num_heads != 0:
        raise ValueError("heads must divide the embedding")
    w_o = torch.nn.init.kaiming_uniform_(torch.empty(d_model, d_model), a=math.sqrt(5)).to(q)
    w_in = torch.nn.init.xavier_uniform_(torch.empty(3 * d_model, d_model)).to(q)
    w_q, w_k, w_v = w_in.view(3, num_heads, d_model // num_heads, d_model)
    visible = torch.ones(q.size(0), num_heads, q.size(1), k.size(1), dtype=torch.bool, device=q.device)
    if mask is not None:
        visible = visible & ~(mask.unsqueeze(1) if mask.dim() == 3 else mask).bool()
    heads = torch.vmap(head, in_dims=(None, None, None, 0, 0, 0, 1), out_dims=2)(q, k, v, w_q, w_k, w_v, visible)
    return heads.flatten(2) @ w_o.T
