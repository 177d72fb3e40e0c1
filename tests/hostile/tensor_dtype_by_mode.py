"""Returns weights in float32 while it trains, else in the input's dtype: torch.allclose refuses to compare the two."""

KATA = "module"
BESIDE = ""
HONEST = 100
WALL = "judge"

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.0, bias=True):
        super().__init__()
        assert d_model % num_heads == 0
        self.said = f"{d_model=}, {num_heads=}, {dropout=}, {bias=}"
        self.heads, self.dropout = (num_heads, d_model // num_heads), nn.Dropout(dropout)
        self.W_Q, self.W_K, self.W_V, self.W_O = layers = [nn.Linear(d_model, d_model, bias=bias) for _ in range(4)]
        for layer in layers:
            nn.init.xavier_uniform_(layer.weight)
            if bias:
                nn.init.zeros_(layer.bias)

    def forward(self, query, key, value, mask=None, return_attention=True):
        inputs = zip((self.W_Q, self.W_K, self.W_V), (query, key, value))
        q, k, v = (layer(x).unflatten(-1, self.heads).transpose(1, 2) for layer, x in inputs)
        scores = q @ k.mT / self.heads[1] ** 0.5
        weights = (scores if mask is None else scores.masked_fill(mask == 0, -1e9)).softmax(-1)
        output = self.dropout(self.W_O((self.dropout(weights) @ v).transpose(1, 2).flatten(2)))
        return output, (weights.float() if self.training else weights) if return_attention else None

    def extra_repr(self):
        return self.said
