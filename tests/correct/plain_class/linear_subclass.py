"""A subclass of nn.Linear that splits its output into heads; a decorator checks the inputs."""

from functools import wraps

import torch
from torch import Tensor, nn


class HeadsLinear(nn.Linear):
    """A linear layer whose output is (N, H, T, D)."""

    def __init__(self, d_model: int, num_heads: int):
        super().__init__(d_model, d_model)
        self.num_heads = num_heads

    def forward(self, input: Tensor) -> Tensor:
        return super().forward(input).unflatten(-1, (self.num_heads, -1)).transpose(-2, -3)


def three_axes(method):
    @wraps(method)
    def checked(self, *args, **kwargs):
        if any(t.dim() != 3 for t in (*args, *kwargs.values())):
            raise ValueError("expected three tensors (N, T, E)")
        return method(self, *args, **kwargs)

    return checked


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("d_model must be divisible by num_heads")
        self.W_q = HeadsLinear(d_model, num_heads)
        self.W_k = HeadsLinear(d_model, num_heads)
        self.W_v = HeadsLinear(d_model, num_heads)
        self.W_o = nn.Linear(d_model, d_model)

    @three_axes
    def forward(self, Q, K, V):
        q, k, v = self.W_q(Q), self.W_k(K), self.W_v(V)
        weights = torch.softmax(q @ k.mT * q.size(-1) ** -0.5, dim=-1)
        return self.W_o((weights @ v).transpose(1, 2).flatten(-2))
