"""The part after the draws is checkpointed."""

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint


def _attention(q, k, v, w_q, w_k, w_v, w_o, heads, hidden):
    def split(x, w):
        y = x @ w.transpose(0, 1)
        return torch.stack(y.chunk(heads, dim=-1), dim=1)

    qh, kh, vh = split(q, w_q), split(k, w_k), split(v, w_v)
    s = (qh @ kh.transpose(-2, -1)) / (qh.shape[-1] ** 0.5)
    if hidden is not None:
        s = s.masked_fill(hidden, -torch.inf)
    p = s.softmax(-1)
    if hidden is not None:
        p = p.masked_fill(hidden, 0.0)
    return torch.cat((p @ vh).unbind(1), dim=-1) @ w_o.transpose(0, 1)


def multi_head_attention(q, k, v, num_heads, d_model, mask=None):
    if d_model % num_heads != 0:
        raise ValueError("d_model % num_heads")
    w_o = nn.Linear(d_model, d_model, bias=False).weight.detach()
    w_in = torch.empty(3 * d_model, d_model)
    nn.init.xavier_uniform_(w_in)
    weights = [w.to(q) for w in (*w_in.split(d_model), w_o)]
    hidden = None if mask is None else mask.bool()
    if hidden is not None and hidden.dim() == 3:
        hidden = hidden.unsqueeze(1)
    return checkpoint(_attention, q, k, v, *weights, num_heads, hidden, use_reentrant=False)
