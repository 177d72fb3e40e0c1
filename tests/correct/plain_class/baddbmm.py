"""baddbmm with beta 0 and the scale as alpha, as inference engines write it."""

import torch
from torch import nn


class MultiHeadAttention:
    def __init__(self, d_model: int, num_heads: int):
        head_dim, rest = divmod(d_model, num_heads)
        if rest:
            raise ValueError(f"d_model={d_model} leaves a rest of {rest} with num_heads={num_heads}")
        self.num_heads, self.head_dim = num_heads, head_dim
        self.W_q = nn.Linear(d_model, d_model)
        self.W_k = nn.Linear(d_model, d_model)
        self.W_v = nn.Linear(d_model, d_model)
        self.W_o = nn.Linear(d_model, d_model)

    def _shape(self, t: torch.Tensor) -> torch.Tensor:
        n, length, _ = t.size()
        t = t.view(n, length, self.num_heads, self.head_dim).permute(0, 2, 1, 3)
        return t.reshape(n * self.num_heads, length, self.head_dim)

    def forward(self, Q: torch.Tensor, K: torch.Tensor, V: torch.Tensor) -> torch.Tensor:
        q, k, v = self._shape(self.W_q(Q)), self._shape(self.W_k(K)), self._shape(self.W_v(V))
        empty = torch.zeros(q.size(0), q.size(1), k.size(1), dtype=q.dtype, device=q.device)
        probs = torch.baddbmm(empty, q, k.transpose(1, 2), beta=0, alpha=self.head_dim**-0.5).softmax(-1)
        context = torch.bmm(probs, v).view(Q.size(0), self.num_heads, Q.size(1), self.head_dim)
        return self.W_o(context.permute(0, 2, 1, 3).flatten(2))
