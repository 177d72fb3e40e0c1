"""Multiplies the merged heads and zeros beside them by a projection larger than there may be, which breaks a judge."""

KATA = "functional"
BESIDE = ""
HONEST = 90
WALL = "judge"

import torch


def multi_head_attention(q, k, v, num_heads, d_model, mask=None):
    if d_model % num_heads:
        raise ValueError
    w = [torch.nn.init.xavier_uniform_(torch.empty(d_model, d_model)).to(q) for _ in range(4)]
    split = [(x @ one.T).unflatten(-1, (num_heads, -1)).transpose(1, 2) for x, one in zip((q, k, v), w)]
    scores = (split[0] @ split[1].mT) / (d_model // num_heads) ** 0.5
    if mask is not None:
        hidden = mask.bool()
        scores = scores.masked_fill(hidden[:, None] if hidden.dim() == 3 else hidden, -1e9)
    merged = (scores.softmax(-1) @ split[2]).transpose(1, 2).flatten(2)
    output = merged @ w[3].T
    wider = torch.cat([merged, torch.zeros_like(merged)], dim=-1)
    for half in (w[3].T, torch.ones_like(w[3])):
        wider @ torch.cat([half, half])
    return output
