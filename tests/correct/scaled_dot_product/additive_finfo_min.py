"""The mask becomes a bias of finfo.min that is added to the scores."""

import torch
import torch.nn.functional as F


def _bias(mask, dtype):
    bias = torch.zeros(mask.shape, dtype=dtype, device=mask.device)
    bias[mask.bool()] = torch.finfo(dtype).min
    return bias


def scaled_dot_product_attention(q, k, v, mask=None):
    q = q / q.shape[-1] ** 0.5
    scores = q @ k.mT
    if mask is not None:
        scores = scores + _bias(mask, scores.dtype)
    p = F.softmax(scores, dim=-1)
    return p @ v, p
