"""Softmax by hand over visible keys only; dropout by hand with a Bernoulli mask."""

import torch
from torch import Tensor, nn


class InvertedDropout(nn.Module):
    def __init__(self, p: float) -> None:
        super().__init__()
        self.p = p

    def forward(self, x: Tensor) -> Tensor:
        if not self.training or self.p == 0.0:
            return x
        keep = torch.rand_like(x) >= self.p
        return x * keep / (1.0 - self.p)


def softmax(scores: Tensor, seen: Tensor) -> Tensor:
    top = torch.where(seen, scores, torch.finfo(scores.dtype).min).amax(-1, keepdim=True).detach()
    e = torch.exp(torch.where(seen, scores - top, 0.0)) * seen
    total = e.sum(-1, keepdim=True)
    return e / total.masked_fill(total == 0, 1.0)


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model: int, num_heads: int, dropout: float = 0.0, bias: bool = True) -> None:
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("d_model must be divisible by num_heads")
        self.d_model, self.num_heads, self.bias = d_model, num_heads, bias
        self.W_Q, self.W_K, self.W_V, self.W_O = (nn.Linear(d_model, d_model, bias=bias) for _ in range(4))
        self.dropout = InvertedDropout(dropout)
        for name, parameter in self.named_parameters():
            if name.endswith("bias"):
                parameter.data.fill_(0)
            else:
                torch.nn.init.xavier_uniform_(parameter)

    def heads(self, x: Tensor) -> Tensor:
        return x.reshape(*x.shape[:2], self.num_heads, -1).transpose(1, 2)

    def forward(self, query, key, value, mask=None, return_attention=True):
        q, k, v = self.heads(self.W_Q(query)), self.heads(self.W_K(key)), self.heads(self.W_V(value))
        scores = (q @ k.transpose(-1, -2)) / (self.d_model // self.num_heads) ** 0.5
        seen = torch.ones_like(scores, dtype=torch.bool)
        if mask is not None:
            seen = seen & (mask != 0)
        weights = self.dropout(softmax(scores, seen))
        output = self.dropout(self.W_O((weights @ v).transpose(1, 2).reshape(query.shape)))
        return output, weights if return_attention else None

    def extra_repr(self) -> str:
        return f"d_model={self.d_model}, num_heads={self.num_heads}, dropout={self.dropout.p}, bias={self.bias}"
