"""chunk along the features and stack the chunks; unbind and cat put them back."""

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.0, bias=True):
        super().__init__()
        if d_model % num_heads:
            raise ValueError(f"num_heads {num_heads} must divide d_model {d_model}")
        self.settings = {"d_model": d_model, "num_heads": num_heads, "dropout": dropout, "bias": bias}
        for name in ("W_Q", "W_K", "W_V", "W_O"):
            layer = nn.Linear(d_model, d_model, bias=bias)
            nn.init.xavier_uniform_(layer.weight)
            if bias:
                nn.init.zeros_(layer.bias)
            self.add_module(name, layer)

    def _split_heads(self, x: Tensor) -> Tensor:
        return torch.stack(x.chunk(self.settings["num_heads"], -1), 1)

    def _combine_heads(self, x: Tensor) -> Tensor:
        return torch.cat(x.unbind(1), -1)

    def _drop(self, x: Tensor) -> Tensor:
        return F.dropout(x, self.settings["dropout"], self.training)

    def _scaled_dot_product_attention(self, Q, K, V, mask=None):
        energy = (Q / math.sqrt(Q.shape[-1])).matmul(K.transpose(-1, -2))
        if mask is not None:
            energy = energy.masked_fill(mask == 0, torch.finfo(energy.dtype).min)
        attention = energy.softmax(-1)
        return self._drop(attention).matmul(V), attention

    def forward(self, query, key, value, mask=None, return_attention=True):
        streams = self.W_Q(query), self.W_K(key), self.W_V(value)
        x, attention = self._scaled_dot_product_attention(*map(self._split_heads, streams), mask)
        y = self._drop(self.W_O(self._combine_heads(x)))
        return y, attention if return_attention else None

    def extra_repr(self) -> str:
        return ", ".join(f"{name}={value}" for name, value in self.settings.items())
