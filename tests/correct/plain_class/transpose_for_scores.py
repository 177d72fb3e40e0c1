"""transpose_for_scores and context_layer, as in BERT."""

import math

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError(f"The hidden size {d_model} is not a multiple of the number of heads {num_heads}")
        self.num_attention_heads = num_heads
        self.attention_head_size = d_model // num_heads
        self.all_head_size = self.num_attention_heads * self.attention_head_size
        self.W_q = nn.Linear(d_model, self.all_head_size)
        self.W_k = nn.Linear(d_model, self.all_head_size)
        self.W_v = nn.Linear(d_model, self.all_head_size)
        self.W_o = nn.Linear(d_model, d_model)

    def transpose_for_scores(self, x):
        new_shape = (*x.size()[:-1], self.num_attention_heads, self.attention_head_size)
        x = x.view(new_shape)
        return x.permute(0, 2, 1, 3)

    def forward(self, Q, K, V):
        query_layer = self.transpose_for_scores(self.W_q(Q))
        key_layer = self.transpose_for_scores(self.W_k(K))
        value_layer = self.transpose_for_scores(self.W_v(V))
        attention_scores = torch.matmul(query_layer, key_layer.transpose(-1, -2))
        attention_scores = attention_scores / math.sqrt(self.attention_head_size)
        attention_probs = nn.functional.softmax(attention_scores, dim=-1)
        context_layer = torch.matmul(attention_probs, value_layer)
        context_layer = context_layer.permute(0, 2, 1, 3).contiguous()
        context_layer = context_layer.view(*context_layer.size()[:-2], self.all_head_size)
        return self.W_o(context_layer)
