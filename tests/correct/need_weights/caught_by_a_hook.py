"""The softmax is a module, and a hook that lives as long as the call catches what it returns."""

import math
from contextlib import contextmanager

import torch
from torch import nn


@contextmanager
def caught(module):
    outputs = []
    handle = module.register_forward_hook(lambda _module, _args, output: outputs.append(output))
    try:
        yield outputs
    finally:
        handle.remove()


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.0, bias=True):
        super().__init__()
        self.head_dim, remainder = divmod(d_model, num_heads)
        if remainder != 0:
            raise ValueError(f"{d_model} is not divisible by {num_heads}")
        self.d_model, self.num_heads, self.bias = d_model, num_heads, bias
        for letter in "QKVO":
            layer = nn.Linear(d_model, d_model, bias=bias)
            nn.init.xavier_uniform_(layer.weight)
            if bias:
                nn.init.zeros_(layer.bias)
            self.register_module(f"W_{letter}", layer)
        self.softmax = nn.Softmax(dim=-1)
        self.dropout = nn.Dropout(dropout)

    def _split_heads(self, x):
        return x.reshape(x.shape[0], x.shape[1], self.num_heads, self.head_dim).swapaxes(1, 2)

    def _combine_heads(self, x):
        return x.swapaxes(1, 2).reshape(x.shape[0], x.shape[2], self.d_model)

    def attend(self, query, key, value, mask):
        Q = self._split_heads(self.W_Q(query)) * (1 / math.sqrt(self.head_dim))
        K = self._split_heads(self.W_K(key))
        V = self._split_heads(self.W_V(value))
        scores = Q @ K.swapaxes(-1, -2)
        if mask is not None:
            scores = scores.masked_fill(~mask.bool(), torch.finfo(scores.dtype).min)
        attended = self.dropout(self.softmax(scores)) @ V
        return self.dropout(self.W_O(self._combine_heads(attended)))

    def forward(self, query, key, value, mask=None, need_weights=True):
        if not need_weights:
            return self.attend(query, key, value, mask), None
        with caught(self.softmax) as outputs:
            output = self.attend(query, key, value, mask)
        return output, outputs.pop()

    def extra_repr(self):
        return f"d_model={self.d_model}, num_heads={self.num_heads}, dropout={self.dropout.p}, bias={self.bias}"
