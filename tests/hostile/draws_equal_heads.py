"""Draws the weights of one head and repeats them for all: nothing need be split or merged, one head is computed."""

KATA = "functional"
BESIDE = ""
HONEST = 47
WALL = "judge"

import torch


def multi_head_attention(q, k, v, num_heads, d_model, mask=None):
    if d_model % num_heads:
        raise ValueError
    width = d_model // num_heads
    w = [torch.nn.init.xavier_uniform_(torch.empty(width, d_model)).to(q) for _ in range(4)]
    query, key, value = ((x @ one.repeat(num_heads, 1).T)[..., :width] for x, one in zip((q, k, v), w))
    scores = query @ key.mT / width**0.5
    if mask is None:
        weights = scores.softmax(-1)
    else:
        hidden = mask.bool()
        hidden = hidden[:, 0] if hidden.dim() == 4 else hidden
        weights = scores.masked_fill(hidden, -torch.inf).softmax(-1).masked_fill(hidden, 0.0)
    return (weights @ value).repeat(1, 1, num_heads) @ w[3].repeat(num_heads, 1)
