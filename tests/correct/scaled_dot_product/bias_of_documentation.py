"""A bias of the shape (L, S) or larger is filled and added, as PyTorch's documentation spells attention out."""

import math

import torch


def scaled_dot_product_attention(q, k, v, mask=None):
    L, S = q.size(-2), k.size(-2)
    scale_factor = 1 / math.sqrt(q.size(-1))
    attn_bias = torch.zeros(L, S, dtype=q.dtype, device=q.device)
    if mask is not None:
        attn_bias = attn_bias.masked_fill(mask.bool(), torch.finfo(q.dtype).min)
    attn_weight = q @ k.transpose(-2, -1) * scale_factor
    attn_weight = attn_weight + attn_bias
    attn_weight = torch.softmax(attn_weight, dim=-1)
    return attn_weight @ v, attn_weight
