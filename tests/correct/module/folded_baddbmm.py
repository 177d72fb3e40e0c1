"""Heads folded into the batch; the mask becomes a bias of -1e9 for baddbmm."""

import torch
from torch import Tensor, nn
from torch.nn.init import xavier_uniform_, zeros_


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model: int, num_heads: int, dropout: float = 0.0, bias: bool = True, *, device=None):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError(f"d_model ({d_model}) must be divisible by num_heads ({num_heads})")
        self.H, self.D = num_heads, d_model // num_heads
        self.W_Q = nn.Linear(d_model, d_model, bias=bias, device=device)
        self.W_K = nn.Linear(d_model, d_model, bias=bias, device=device)
        self.W_V = nn.Linear(d_model, d_model, bias=bias, device=device)
        self.W_O = nn.Linear(d_model, d_model, bias=bias, device=device)
        self.drop = nn.Dropout(dropout)
        self.apply(self._init)

    @staticmethod
    def _init(module: nn.Module) -> None:
        if isinstance(module, nn.Linear):
            xavier_uniform_(module.weight)
            if module.bias is not None:
                zeros_(module.bias)

    def _fold(self, x: Tensor) -> Tensor:
        return x.unflatten(-1, (self.H, self.D)).transpose(1, 2).flatten(0, 1)  # [B * H, T, D]

    def forward(self, query, key, value, mask=None, return_attention=True):
        B, L, S = query.shape[0], query.shape[1], key.shape[1]
        q, k, v = self._fold(self.W_Q(query)), self._fold(self.W_K(key)), self._fold(self.W_V(value))
        if mask is None:
            bias = q.new_zeros(1, 1, 1)
        else:
            bias = (1.0 - mask.to(q.dtype)) * -1e9
            bias = bias.expand(B, self.H, L, S).reshape(B * self.H, L, S)
        weights = torch.baddbmm(bias, q, k.transpose(1, 2), alpha=self.D**-0.5).softmax(dim=-1)
        out = torch.bmm(self.drop(weights), v).unflatten(0, (B, self.H)).transpose(1, 2).flatten(2)
        out = self.drop(self.W_O(out))
        return out, weights.unflatten(0, (B, self.H)) if return_attention else None

    def extra_repr(self) -> str:
        E, bias = self.W_Q.in_features, self.W_Q.bias is not None
        return f"d_model={E}, num_heads={self.H}, dropout={self.drop.p}, bias={bias}"
