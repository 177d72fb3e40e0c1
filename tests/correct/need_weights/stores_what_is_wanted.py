"""The weights are stored for a picture where they are wanted, and those of an earlier call stay."""

import math

import torch
from torch import nn


def xavier(d_model, bias):
    layer = nn.Linear(d_model, d_model, bias)
    nn.init.xavier_uniform_(layer.weight)
    if layer.bias is not None:
        layer.bias.data.fill_(0)
    return layer


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.0, bias=True):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("d_model must be a multiple of num_heads")
        self.d_model, self.num_heads = d_model, num_heads
        self.W_Q, self.W_K, self.W_V, self.W_O = (xavier(d_model, bias) for _ in range(4))
        self.dropout = nn.Dropout(dropout)

    def _split_heads(self, x):
        return x.reshape(*x.shape[:2], self.num_heads, -1).permute(0, 2, 1, 3)

    def _combine_heads(self, x):
        return x.permute(0, 2, 1, 3).reshape(x.size(0), x.size(2), -1)

    def _scaled_dot_product_attention(self, Q, K, V, mask=None):
        logits = Q @ K.mT / math.sqrt(Q.size(-1))
        if mask is None:
            weights = logits.softmax(-1)
        else:
            seen = mask != 0
            alive = seen.any(-1, keepdim=True)
            bias = torch.where(seen | ~alive, 0.0, -math.inf).to(logits)
            weights = (logits + bias).softmax(-1) * alive
        return self.dropout(weights) @ V, weights

    def forward(self, query, key, value, mask=None, need_weights=True):
        q, k, v = (self._split_heads(x) for x in (self.W_Q(query), self.W_K(key), self.W_V(value)))
        heads, weights = self._scaled_dot_product_attention(q, k, v, mask)
        output = self.dropout(self.W_O(self._combine_heads(heads)))
        if need_weights:
            self.weights = weights.detach()
            return output, weights
        return output, None

    def extra_repr(self):
        bias = self.W_Q.bias is not None
        return f"d_model={self.d_model}, num_heads={self.num_heads}, dropout={self.dropout.p}, bias={bias}"
