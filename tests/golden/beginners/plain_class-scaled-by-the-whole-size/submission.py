import torch
import torch.nn as nn
import torch.nn.functional as F
import numpy as np

class MultiHeadAttention:
    def __init__(self, d_model, num_heads):
        assert d_model % num_heads == 0
        self.d_model = d_model
        self.num_heads = num_heads
        self.depth = d_model // num_heads
        self.W_q = nn.Linear(d_model, d_model)
        self.W_k = nn.Linear(d_model, d_model)
        self.W_v = nn.Linear(d_model, d_model)
        self.W_o = nn.Linear(d_model, d_model)

    def split(self, x):
        b = x.shape[0]
        return x.view(b, -1, self.num_heads, self.depth).permute(0, 2, 1, 3)

    def forward(self, Q, K, V):
        q, k, v = self.split(self.W_q(Q)), self.split(self.W_k(K)), self.split(self.W_v(V))
        scores = torch.einsum("bhqd,bhkd->bhqk", q, k) / np.sqrt(self.d_model)
        attn = F.softmax(scores, dim=-1)
        out = torch.einsum("bhqk,bhkd->bhqd", attn, v)
        out = out.permute(0, 2, 1, 3).contiguous().view(Q.shape[0], -1, self.d_model)
        return self.W_o(out)
