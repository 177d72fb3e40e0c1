"""Each head has weights of its own and writes its own part of the output; the parts are added, nothing is merged."""

import math

import torch
from torch import Tensor, einsum
from torch.nn.init import kaiming_uniform_, xavier_uniform_


def per_head_weights(num_heads: int, d_model: int) -> tuple[Tensor, Tensor]:
    """W_O `[H, D, E]`, drawn first, and W_Q, W_K, W_V as `[3, H, E, D]`."""
    W_O = kaiming_uniform_(torch.empty(d_model, d_model), a=math.sqrt(5))
    W_QKV = xavier_uniform_(torch.empty(3 * d_model, d_model))
    W_O = W_O.T.unflatten(0, (num_heads, -1))
    return W_O, W_QKV.unflatten(0, (3, num_heads, -1)).transpose(-1, -2)


def attention_pattern(scores: Tensor, mask: Tensor | None) -> Tensor:
    if mask is None:
        return scores.softmax(-1)
    if mask.dim() == 3:
        mask = mask.unsqueeze(-3)
    blocked = mask > 0
    # A query that may see nothing attends as if it might see all, and is silenced afterwards.
    silent = blocked.all(-1, keepdim=True)
    return scores.masked_fill(blocked & ~silent, -math.inf).softmax(-1).masked_fill(silent, 0)


def multi_head_attention(
    q: Tensor, k: Tensor, v: Tensor, num_heads: int, d_model: int, mask: Tensor | None = None
) -> Tensor:
    assert d_model % num_heads == 0, "heads must have the same size"
    W_O, (W_Q, W_K, W_V) = (W.to(q) for W in per_head_weights(num_heads, d_model))
    QK = W_Q @ W_K.mT / math.sqrt(d_model // num_heads)
    OV = W_V @ W_O
    attn_scores = einsum("nle,hef,nsf->nhls", q, QK, k)
    pattern = attention_pattern(attn_scores, mask)
    return einsum("nhls,nse,hef->nlf", pattern, v, OV)
