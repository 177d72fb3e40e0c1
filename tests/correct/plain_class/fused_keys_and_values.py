"""Keys and values projected in one product, from the named layers' weights stacked at call time."""

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model: int, num_heads: int):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError(f"d_model ({d_model}) must be divisible by num_heads ({num_heads})")
        self.num_heads = num_heads
        self.W_q = nn.Linear(d_model, d_model)
        self.W_k = nn.Linear(d_model, d_model)
        self.W_v = nn.Linear(d_model, d_model)
        self.W_o = nn.Linear(d_model, d_model)

    def forward(self, Q: Tensor, K: Tensor, V: Tensor) -> Tensor:
        n, length, e = Q.shape
        s, heads = K.shape[1], self.num_heads
        w_kv = torch.stack([self.W_k.weight, self.W_v.weight]).mT  # (2, E, E)
        b_kv = torch.stack([self.W_k.bias, self.W_v.bias]).unsqueeze(1)  # (2, 1, E)
        kv = torch.baddbmm(b_kv, torch.stack([K, V]).reshape(2, n * s, e), w_kv)
        k, v = kv.reshape(2, n, s, heads, e // heads).transpose(2, 3)
        q = F.linear(Q, self.W_q.weight, self.W_q.bias).reshape(n, length, heads, e // heads).transpose(1, 2)
        weights = F.softmax(q @ k.transpose(-1, -2) * (e // heads) ** -0.5, dim=-1)
        return self.W_o((weights @ v).transpose(1, 2).reshape(n, length, e))
