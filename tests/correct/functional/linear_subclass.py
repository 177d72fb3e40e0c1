"""Subclasses of nn.Linear that draw for themselves, the output's first; the stacked one splits what it made."""

import math

import torch
from torch import nn


class Output(nn.Linear):
    def reset_parameters(self):
        nn.init.kaiming_uniform_(self.weight, a=math.sqrt(5))


class Stacked(nn.Linear):
    def reset_parameters(self):
        nn.init.xavier_uniform_(self.weight)

    def forward(self, *streams):
        return [x @ w.T for x, w in zip(streams, self.weight.chunk(3), strict=True)]


def multi_head_attention(q, k, v, num_heads, d_model, mask=None):
    if d_model % num_heads:
        raise ValueError(f"{d_model} features cannot be shared by {num_heads} heads")
    output, stacked = Output(d_model, d_model, bias=False), Stacked(d_model, 3 * d_model, bias=False)
    streams = stacked.to(q)(q, k, v)
    queries, keys, values = (x.unflatten(2, (num_heads, d_model // num_heads)).transpose(1, 2) for x in streams)
    scores = torch.einsum("nhld,nhsd->nhls", queries, keys) / (d_model // num_heads) ** 0.5
    if mask is not None:
        hidden = (mask.unsqueeze(1) if mask.dim() == 3 else mask).bool()
        scores = scores.masked_fill(hidden, -1e9)
    attended = torch.einsum("nhls,nhsd->nlhd", scores.softmax(dim=3), values)
    return output.to(q)(attended.flatten(start_dim=2))
