"""nn.utils.skip_init makes the layers without drawing; the class draws them by its own lines."""

import torch
from torch import nn
from torch.nn.utils import skip_init


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.0, bias=True):
        super().__init__()
        if d_model % num_heads:
            raise ValueError("num_heads must divide d_model")
        self.num_heads, self.p = num_heads, dropout
        for name in ("W_Q", "W_K", "W_V", "W_O"):
            layer = skip_init(nn.Linear, d_model, d_model, bias=bias)
            nn.init.xavier_uniform_(layer.weight)
            if bias:
                nn.init.constant_(layer.bias, 0)
            self.add_module(name, layer)
        self.drop = nn.Dropout(dropout)

    def _split_heads(self, x):
        return torch.stack(x.chunk(self.num_heads, dim=-1), dim=1)

    def _combine_heads(self, x):
        return torch.cat(x.unbind(1), dim=-1)

    def _scaled_dot_product_attention(self, Q, K, V, mask=None):
        scores = (Q * K.size(-1) ** -0.5).matmul(K.mT)
        if mask is not None:
            scores = torch.where(mask.bool(), scores, torch.finfo(scores.dtype).min)
        weights = torch.softmax(scores, -1)
        return self.drop(weights).matmul(V), weights

    def forward(self, query, key, value, mask=None, return_attention=True):
        q, k, v = (
            self._split_heads(self.W_Q(query)),
            self._split_heads(self.W_K(key)),
            self._split_heads(self.W_V(value)),
        )
        mixed, weights = self._scaled_dot_product_attention(q, k, v, mask)
        output = self.drop(self.W_O(self._combine_heads(mixed)))
        return output, weights if return_attention else None

    def extra_repr(self):
        d_model, bias = self.W_O.in_features, self.W_O.bias is not None
        return f"d_model={d_model}, num_heads={self.num_heads}, dropout={self.p}, bias={bias}"
