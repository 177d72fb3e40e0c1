"""Softmax by hand: the largest visible score is taken off, hidden keys are multiplied away."""

import math

import torch


def masked_softmax(scores, visible):
    # The maximum only has to keep exp from overflowing; no gradient is needed through it.
    top = scores.detach().masked_fill(~visible, -math.inf).amax(dim=-1, keepdim=True)
    top = torch.where(torch.isfinite(top), top, torch.zeros_like(top))
    shifted = (scores - top).masked_fill(~visible, 0.0)
    e = torch.exp(shifted) * visible.to(scores.dtype)
    total = e.sum(dim=-1, keepdim=True)
    return e / torch.where(total > 0, total, torch.ones_like(total))


def scaled_dot_product_attention(q, k, v, mask=None):
    scores = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(q.shape[-1])
    visible = torch.ones_like(scores, dtype=torch.bool)
    if mask is not None:
        visible = visible & (mask == 0)
    weights = masked_softmax(scores, visible)
    return torch.matmul(weights, v), weights
