import math
import torch
from torch import nn

class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("d_model must be divisible by num_heads")
        self.num_heads = num_heads
        self.W_q = nn.Linear(d_model, d_model)
        self.W_k = nn.Linear(d_model, d_model)
        self.W_v = nn.Linear(d_model, d_model)
        self.W_o = nn.Linear(d_model, d_model)

    def forward(self, Q, K, V):
        batch_size, seq_len, d_model = Q.shape
        d_k = d_model // self.num_heads
        Q = self.W_q(Q).view(batch_size, -1, self.num_heads, d_k).transpose(1, 2)
        K = self.W_k(K).view(batch_size, -1, self.num_heads, d_k).transpose(1, 2)
        V = self.W_v(V).view(batch_size, -1, self.num_heads, d_k).transpose(1, 2)
        scores = torch.matmul(Q, K.transpose(-1, -2)) / math.sqrt(d_k)
        weights = nn.Softmax(dim=-1)(scores)
        heads = torch.matmul(weights, V)
        concat = heads.reshape(batch_size, seq_len, d_model)
        return self.W_o(concat)
