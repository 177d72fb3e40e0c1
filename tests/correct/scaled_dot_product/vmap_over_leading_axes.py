"""Attention for one pair of matrices, mapped over all leading axes by torch.vmap."""

import torch
from torch import Tensor


def single(q: Tensor, k: Tensor, v: Tensor, visible: Tensor) -> tuple[Tensor, Tensor]:
    logits = torch.mm(q, k.t()) / q.shape[1] ** 0.5
    logits = torch.where(visible, logits, torch.finfo(logits.dtype).min)
    w = torch.softmax(logits, dim=1)
    return torch.mm(w, v), w


def scaled_dot_product_attention(q, k, v, mask=None):
    *lead, length, d = q.shape
    s = k.shape[-2]
    visible = torch.ones(*lead, length, s, dtype=torch.bool, device=q.device)
    if mask is not None:
        visible = visible & ~mask.bool()
    out, w = torch.vmap(single)(
        q.reshape(-1, length, d),
        k.reshape(-1, s, d),
        v.reshape(-1, s, v.shape[-1]),
        visible.reshape(-1, length, s),
    )
    return out.reshape(*lead, length, v.shape[-1]), w.reshape(*lead, length, s)
