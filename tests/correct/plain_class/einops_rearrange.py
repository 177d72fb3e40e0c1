"""einops.rearrange splits and merges the heads; the query is scaled."""

import torch.nn as nn
from einops import rearrange


class MultiHeadAttention:
    def __init__(self, d_model, num_heads):
        if d_model % num_heads:
            raise ValueError("num_heads must divide d_model")
        self.h = num_heads
        self.W_q, self.W_k, self.W_v, self.W_o = (nn.Linear(d_model, d_model) for _ in range(4))

    def forward(self, Q, K, V):
        projected = (self.W_q(Q), self.W_k(K), self.W_v(V))
        q, k, v = (rearrange(x, "b n (h d) -> b h n d", h=self.h) for x in projected)
        weights = (q * q.shape[-1] ** -0.5 @ rearrange(k, "b h n d -> b h d n")).softmax(-1)
        return self.W_o(rearrange(weights @ v, "b h n d -> b n (h d)"))
