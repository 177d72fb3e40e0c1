"""The attention within heads is checkpointed."""

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("d_model is not divisible by num_heads")
        self.n_head = num_heads
        self.W_q = nn.Linear(d_model, d_model)
        self.W_k = nn.Linear(d_model, d_model)
        self.W_v = nn.Linear(d_model, d_model)
        self.W_o = nn.Linear(d_model, d_model)

    @staticmethod
    def _attend(q, k, v):
        scores = torch.einsum("bhid,bhjd->bhij", q, k) / q.shape[-1] ** 0.5
        return torch.einsum("bhij,bhjd->bhid", torch.softmax(scores, -1), v)

    def forward(self, Q, K, V):
        B, T, C = Q.size()
        q = self.W_q(Q).view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
        k = self.W_k(K).view(B, K.size(1), self.n_head, C // self.n_head).transpose(1, 2)
        v = self.W_v(V).view(B, V.size(1), self.n_head, C // self.n_head).transpose(1, 2)
        y = checkpoint(self._attend, q, k, v, use_reentrant=False)
        return self.W_o(y.transpose(1, 2).contiguous().view(B, T, C))
