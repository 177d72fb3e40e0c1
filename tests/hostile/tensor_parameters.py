"""Has parameters of bool and of whole numbers, of which a judge may ask what such tensors do not have."""

KATA = "module"
BESIDE = ""
HONEST = 5
WALL = "judge"

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.0, bias=True):
        super().__init__()
        assert d_model % num_heads == 0
        self.heads = num_heads
        self.W_Q, self.W_K, self.W_V, self.W_O = (nn.Linear(d_model, d_model, bias=bias) for _ in range(4))
        for layer, dtype in ((self.W_Q, torch.bool), (self.W_V, torch.int8)):
            layer.weight = nn.Parameter(torch.zeros(d_model, d_model, dtype=dtype), requires_grad=False)
            if bias:
                layer.bias = nn.Parameter(torch.zeros(d_model, dtype=dtype), requires_grad=False)

    def forward(self, query, key, value, mask=None, return_attention=True):
        return query, query.new_zeros(query.shape[0], self.heads, query.shape[1], key.shape[1])
