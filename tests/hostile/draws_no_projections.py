"""Draws nothing: its four weights are multiples of the identity, so that whatever projects is left out."""

KATA = "functional"
BESIDE = ""
HONEST = 47
WALL = "judge"

import torch


def multi_head_attention(q, k, v, num_heads, d_model, mask=None):
    if d_model % num_heads:
        raise ValueError
    one = torch.eye(d_model).to(q)
    split = [(x @ (c * one)).unflatten(-1, (num_heads, -1)).transpose(1, 2) for x, c in ((q, 1.0), (k, 1.2), (v, 0.8))]
    scores = (split[0] @ split[1].mT) / (d_model // num_heads) ** 0.5
    if mask is None:
        weights = scores.softmax(-1)
    else:
        hidden = mask.bool()
        hidden = hidden[:, None] if hidden.dim() == 3 else hidden
        weights = scores.masked_fill(hidden, -torch.inf).softmax(-1).masked_fill(hidden, 0.0)
    return (weights @ split[2]).transpose(1, 2).flatten(2) @ (0.9 * one)
