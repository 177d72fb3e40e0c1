"""nn.Linear subclasses that are born Xavier-uniform and know about heads."""

import math

import torch
from torch import Tensor, nn


class XavierLinear(nn.Linear):
    def reset_parameters(self) -> None:
        nn.init.xavier_uniform_(self.weight)
        if self.bias is not None:
            nn.init.zeros_(self.bias)


class ToHeads(XavierLinear):
    def __init__(self, d_model: int, num_heads: int, bias: bool) -> None:
        super().__init__(d_model, d_model, bias=bias)
        self.num_heads = num_heads

    def forward(self, input: Tensor) -> Tensor:
        return super().forward(input).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)


class FromHeads(XavierLinear):
    def forward(self, input: Tensor) -> Tensor:
        return super().forward(input.transpose(1, 2).flatten(2))


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model: int, num_heads: int, dropout: float = 0.0, bias: bool = True) -> None:
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("d_model must be divisible by num_heads")
        self.W_Q = ToHeads(d_model, num_heads, bias)
        self.W_K = ToHeads(d_model, num_heads, bias)
        self.W_V = ToHeads(d_model, num_heads, bias)
        self.W_O = FromHeads(d_model, d_model, bias=bias)
        self.dropout = nn.Dropout(dropout)

    def forward(self, query, key, value, mask=None, return_attention=True):
        Q, K, V = self.W_Q(query), self.W_K(key), self.W_V(value)
        scores = Q @ K.transpose(2, 3) / math.sqrt(Q.size(3))
        if mask is not None:
            scores = scores + torch.zeros_like(mask, dtype=scores.dtype).masked_fill(mask == 0, -1e9)
        weights = self.dropout(scores.softmax(dim=3))
        return self.dropout(self.W_O(weights @ V)), weights if return_attention else None

    def extra_repr(self) -> str:
        layer = self.W_Q
        return (
            f"d_model={layer.in_features}, num_heads={layer.num_heads}, "
            f"dropout={self.dropout.p}, bias={layer.bias is not None}"
        )
