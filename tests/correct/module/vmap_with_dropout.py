"""vmap over sequences and heads with dropout inside of it, the initialisation in a base class."""

import math

import torch
from torch import nn
from torch.func import vmap


class Projections(nn.Module):
    def __init__(self, d_model, bias, names=("W_Q", "W_K", "W_V", "W_O")):
        super().__init__()
        for name in names:
            self.register_module(name, nn.Linear(d_model, d_model, bias))
        self.apply(self.start)

    @staticmethod
    @torch.no_grad()
    def start(part):
        if isinstance(part, nn.Linear):
            nn.init.xavier_uniform_(part.weight)
            if part.bias is not None:
                part.bias.zero_()


class MultiHeadAttention(Projections):
    def __init__(self, d_model, num_heads, dropout=0.0, bias=True):
        if d_model % num_heads:
            raise ValueError(f"{d_model} / {num_heads}")
        super().__init__(d_model, bias)
        self.num_heads = num_heads
        self.drop = nn.Dropout(dropout)

    def _head(self, q, k, v, hidden):
        weights = (q @ k.T / math.sqrt(q.shape[-1])).masked_fill(hidden, -1e30).softmax(-1)
        return self.drop(weights) @ v, weights

    def _split_heads(self, x):
        return torch.stack(x.chunk(self.num_heads, -1), 1)

    def _combine_heads(self, x):
        return torch.cat(x.unbind(1), -1)

    def forward(self, query, key, value, mask=None, return_attention=True):
        sizes = len(query), query.shape[1], key.shape[1]
        hidden = torch.zeros(sizes, dtype=torch.bool) if mask is None else (mask == 0).squeeze(1).expand(sizes)
        over_heads = vmap(self._head, in_dims=(0, 0, 0, None), randomness="different")
        q, k, v = (self._split_heads(layer(x)) for layer, x in zip(self.children(), (query, key, value), strict=False))
        mixed, weights = vmap(over_heads, randomness="different")(q, k, v, hidden)
        output = self.drop(self.W_O(self._combine_heads(mixed)))
        return output, weights if return_attention is True else None

    def extra_repr(self):
        return (
            f"d_model={self.W_O.in_features}, num_heads={self.num_heads}, dropout={self.drop.p}, "
            f"bias={self.W_O.bias is not None}"
        )
