"""Weights and output written slice by slice into tensors of zeros, in chunks of queries, logged by a metaclass."""

import functools
import math

import torch
from torch import nn
from torch.nn.functional import dropout as drop


class Logged(type):
    def __new__(mcs, name, bases, members):
        def logged(function):
            @functools.wraps(function)
            def call(self, *args, **kwargs):
                self.__dict__.setdefault("log", []).append((function.__name__, len(args), sorted(kwargs)))
                return function(self, *args, **kwargs)

            return call

        return super().__new__(mcs, name, bases, members | {"forward": logged(members["forward"])})


class MultiHeadAttention(nn.Module, metaclass=Logged):
    CHUNK = 3

    def __init__(self, d_model, num_heads, dropout=0.0, bias=True):
        super().__init__()
        self.size, left = divmod(d_model, num_heads)
        if left:
            raise ValueError(f"{left} features are left over")
        self.said = f"d_model={d_model}, num_heads={num_heads}, dropout={dropout}, bias={bias}"
        self.num_heads, self.rate = num_heads, dropout
        bound = math.sqrt(6 / (2 * d_model))
        for name in ("W_Q", "W_K", "W_V", "W_O"):
            self.add_module(name, nn.Linear(d_model, d_model, bias=bias))
            nn.init.uniform_(self.get_submodule(name).weight, -bound, bound)
            if bias:
                self.get_submodule(name).bias = nn.Parameter(torch.zeros(d_model))

    def forward(self, query, key, value, mask=None, return_attention=True):
        q, k, v = self.W_Q(query), self.W_K(key), self.W_V(value)
        (n, length, _), keys = query.shape, key.size(1)
        merged = torch.zeros_like(q)
        weights = q.new_zeros(n, self.num_heads, length, keys)
        for head in range(self.num_heads):
            own = slice(head * self.size, (head + 1) * self.size)
            for start in range(0, length, self.CHUNK):
                rows = slice(start, start + self.CHUNK)
                scores = q[:, rows, own] @ k[..., own].mT / math.sqrt(self.size)
                if mask is not None:
                    scores = scores.masked_fill(mask[:, 0].expand(-1, length, -1)[:, rows] == 0, -1e30)
                weights[:, head, rows] = scores.softmax(-1)
                merged[:, rows, own] = drop(weights[:, head, rows].clone(), self.rate, self.training) @ v[..., own]
        output = drop(self.W_O(merged), self.rate, self.training)
        return output, weights if return_attention else None

    def extra_repr(self):
        return self.said
