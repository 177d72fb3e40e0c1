"""Weights of one head mapped over heads and batch by torch.vmap; the additive bias is finfo.min."""

import torch
from torch import Tensor, nn, vmap


def weights_of_one_head(q: Tensor, k: Tensor, bias: Tensor) -> Tensor:
    return torch.softmax((q @ k.T) * q.shape[-1] ** -0.5 + bias, dim=-1)


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model: int, num_heads: int, dropout: float = 0.0, bias: bool = True) -> None:
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("d_model must be divisible by num_heads")
        self.d_model, self.num_heads, self.bias = d_model, num_heads, bias
        self.W_Q = nn.Linear(d_model, d_model, bias=bias)
        self.W_K = nn.Linear(d_model, d_model, bias=bias)
        self.W_V = nn.Linear(d_model, d_model, bias=bias)
        self.W_O = nn.Linear(d_model, d_model, bias=bias)
        self.dropout = nn.Dropout(dropout)
        with torch.no_grad():
            for name, parameter in self.named_parameters():
                if "weight" in name:
                    nn.init.xavier_uniform_(parameter)
                else:
                    parameter.zero_()

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, return_attention: bool = True
    ) -> tuple[Tensor, Tensor | None]:
        q = self.W_Q(query).unflatten(-1, (self.num_heads, -1))  # [B, L, H, D]
        k = self.W_K(key).unflatten(-1, (self.num_heads, -1))
        v = self.W_V(value).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
        bias = q.new_zeros(q.size(0), q.size(1), k.size(1))
        if mask is not None:
            bias = bias.masked_fill(mask.squeeze(1) == 0, torch.finfo(q.dtype).min)
        over_heads = vmap(weights_of_one_head, in_dims=(1, 1, None))
        weights = vmap(over_heads)(q, k, bias)  # [B, H, L, S]
        output = self.W_O((self.dropout(weights) @ v).transpose(1, 2).flatten(2))
        return self.dropout(output), weights if return_attention else None

    def extra_repr(self) -> str:
        return f"d_model={self.d_model}, num_heads={self.num_heads}, dropout={self.dropout.p}, bias={self.bias}"
