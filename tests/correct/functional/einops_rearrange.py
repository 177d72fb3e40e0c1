"""einops.rearrange splits, merges and folds; einops.repeat gives the mask its heads."""

import math

import torch
from einops import rearrange, repeat
from torch import nn


def multi_head_attention(q, k, v, num_heads, d_model, mask=None):
    if d_model % num_heads:
        raise ValueError("num_heads must divide d_model")
    w_o = nn.init.kaiming_uniform_(torch.empty(d_model, d_model), a=math.sqrt(5)).to(q)
    w_in = nn.init.xavier_uniform_(torch.empty(3 * d_model, d_model)).to(q)
    weights = rearrange(w_in, "(three out) into -> three into out", three=3)
    query, key, value = (
        rearrange(x @ w, "n length (h d) -> n h length d", h=num_heads) for x, w in zip((q, k, v), weights, strict=True)
    )
    scores = query @ rearrange(key, "n h s d -> n h d s") / math.sqrt(d_model // num_heads)
    if mask is not None:
        if mask.ndim == 3:
            mask = repeat(mask, "n l s -> n h l s", h=num_heads)
        scores = scores.masked_fill(mask.bool(), -1e9)
    mixed = scores.softmax(dim=-1) @ value
    return rearrange(mixed, "n h length d -> n length (h d)") @ w_o.T
