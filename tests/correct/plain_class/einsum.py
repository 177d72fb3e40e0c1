"""einsum throughout, the head axis never moved."""

import torch
from torch import Tensor, nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model: int, num_heads: int) -> None:
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError(f"{d_model=} is not a multiple of {num_heads=}")
        self.h, self.d = num_heads, d_model // num_heads
        self.W_q = nn.Linear(d_model, d_model)
        self.W_k = nn.Linear(d_model, d_model)
        self.W_v = nn.Linear(d_model, d_model)
        self.W_o = nn.Linear(d_model, d_model)

    def forward(self, Q: Tensor, K: Tensor, V: Tensor) -> Tensor:
        q = self.W_q(Q).unflatten(-1, (self.h, self.d))
        k = self.W_k(K).unflatten(-1, (self.h, self.d))
        v = self.W_v(V).unflatten(-1, (self.h, self.d))
        a = torch.einsum("nlhd,nshd->nhls", q, k).mul(self.d**-0.5).softmax(-1)
        return self.W_o(torch.einsum("nhls,nshd->nlhd", a, v).flatten(-2))
