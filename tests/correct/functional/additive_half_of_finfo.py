"""Half of finfo.min is added where hidden; the draws by uniform bounds."""

import math

import torch
from torch import nn


def multi_head_attention(q, k, v, num_heads, d_model, mask=None):
    head_dim, rest = divmod(d_model, num_heads)
    if rest:
        raise ValueError(f"{d_model} % {num_heads} != 0")
    out_proj = nn.Linear(d_model, d_model, bias=False)
    in_proj = torch.empty(3 * d_model, d_model)
    bound = math.sqrt(6 / (4 * d_model))
    in_proj.uniform_(-bound, bound)
    in_proj = in_proj.to(q)
    qh, kh, vh = (
        (x @ w.t()).reshape(x.shape[0], x.shape[1], num_heads, head_dim)
        for x, w in zip((q, k, v), in_proj.split(d_model), strict=False)
    )
    scores = torch.einsum("nlhd,nshd->nhls", qh, kh) * head_dim**-0.5
    if mask is not None:
        bias = torch.zeros_like(mask, dtype=scores.dtype).masked_fill_(mask.bool(), torch.finfo(scores.dtype).min / 2)
        scores = scores + (bias.unsqueeze(1) if bias.dim() == 3 else bias)
    return torch.einsum("nhls,nshd->nlhd", scores.softmax(-1), vh).flatten(2) @ out_proj.weight.to(q).t()
