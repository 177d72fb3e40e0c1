"""The triangle as PyTorch's own `causal_upper_left`, and given as it is where no other mask is there."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.attention.bias import causal_upper_left


class FlashMultiHeadAttention(nn.Module):
    def __init__(self, d_model: int, num_heads: int, dropout: float = 0.0, bias: bool = True) -> None:
        super().__init__()
        assert d_model % num_heads == 0
        self.d_model, self.num_heads, self.dropout, self.bias = d_model, num_heads, dropout, bias
        for name in ("W_Q", "W_K", "W_V", "W_O"):
            layer = nn.Linear(d_model, d_model, bias=bias)
            nn.init.xavier_uniform_(layer.weight)
            if bias:
                nn.init.zeros_(layer.bias)
            setattr(self, name, layer)

    def extra_repr(self) -> str:
        return f"d_model={self.d_model}, num_heads={self.num_heads}, dropout={self.dropout}, bias={self.bias}"

    def _heads(self, x: torch.Tensor) -> torch.Tensor:
        return x.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)

    def forward(self, query, key, value, mask=None, is_causal=False, return_attention=False):
        q, k, v = self._heads(self.W_Q(query)), self._heads(self.W_K(key)), self._heads(self.W_V(value))
        L, S = q.shape[2], k.shape[2]
        visible = None if mask is None else mask != 0
        if is_causal and mask is not None:
            visible = visible & torch.ones(L, S, dtype=torch.bool).tril()
        elif is_causal:
            visible = causal_upper_left(L, S)
        mixed = F.scaled_dot_product_attention(
            q, k, v, attn_mask=visible, dropout_p=self.dropout if self.training else 0.0
        )
        weights = None
        if return_attention:
            eye = torch.eye(S, dtype=v.dtype).expand(*v.shape[:2], S, S)
            weights = F.scaled_dot_product_attention(q, k, eye, attn_mask=visible)
        return self.W_O(mixed.transpose(1, 2).flatten(2)), weights
