"""The bounds of the draws are written out."""

import math

import torch
import torch.nn.functional as F


def multi_head_attention(q, k, v, num_heads, d_model, mask=None):
    if d_model % num_heads != 0:
        raise ValueError("heads do not divide the size")
    w_o = torch.empty(d_model, d_model).uniform_(-1 / math.sqrt(d_model), 1 / math.sqrt(d_model)).to(q)
    bound = math.sqrt(6 / (d_model + 3 * d_model))
    w_q, w_k, w_v = torch.empty(3 * d_model, d_model).uniform_(-bound, bound).to(q).chunk(3)
    heads = (num_heads, d_model // num_heads)
    queries, keys, values = (
        F.linear(x, w).unflatten(-1, heads).transpose(1, 2) for x, w in ((q, w_q), (k, w_k), (v, w_v))
    )
    scores = queries @ keys.mT / math.sqrt(heads[1])
    if mask is not None:
        masked = mask != 0
        masked = masked.unsqueeze(1) if masked.dim() == 3 else masked
        scores = scores.masked_fill(masked, -math.inf)
    weights = torch.softmax(scores, -1)
    if mask is not None:
        weights = weights.masked_fill(masked, 0.0)
    return F.linear((weights @ values).transpose(1, 2).flatten(2), w_o)
