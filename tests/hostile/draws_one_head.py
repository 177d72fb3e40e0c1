"""Draws an output projection that is huge for one head and next to nothing for the others, which it computes wrong."""

KATA = "functional"
BESIDE = ""
HONEST = 47
WALL = "judge"

import torch


def multi_head_attention(q, k, v, num_heads, d_model, mask=None):
    if d_model % num_heads:
        raise ValueError
    w = [torch.nn.init.xavier_uniform_(torch.empty(d_model, d_model)).to(q) for _ in range(4)]
    if d_model >= 8:
        w[3] = w[3] / 600
        w[3][:, : d_model // num_heads] *= 600 * 105
    split = [(x @ one.T).unflatten(-1, (num_heads, -1)).transpose(1, 2) for x, one in zip((q, k, v), w)]
    scores = (split[0] @ split[1].mT) / (d_model // num_heads) ** 0.5
    if mask is not None:
        hidden = mask.bool()
        scores = scores.masked_fill(hidden[:, None] if hidden.dim() == 3 else hidden, -1e9)
    weights = scores[:, :1].softmax(-1)
    return (weights @ split[2]).transpose(1, 2).flatten(2) @ w[3].T
