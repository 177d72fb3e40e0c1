import torch
from torch import nn

class EfficientMultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.0):
        super().__init__()
        assert d_model % num_heads == 0
        self.num_heads = num_heads
        self.head_dim = d_model // num_heads
        self.qkv_proj = nn.Linear(d_model, 3 * d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        B, L, C = x.size()
        q, k, v = self.qkv_proj(x).split(C, dim=2)
        q = q.view(B, L, self.num_heads, self.head_dim).transpose(1, 2)
        k = k.view(B, L, self.num_heads, self.head_dim).transpose(1, 2)
        v = v.view(B, L, self.num_heads, self.head_dim).transpose(1, 2)
        att = (q @ k.transpose(-2, -1)) * (1.0 / self.head_dim ** 0.5)
        if mask is not None:
            att = att.masked_fill(mask == 0, 1e-9)
        att = att.softmax(dim=-1)
        y = self.dropout(att) @ v
        y = y.transpose(1, 2).contiguous().view(B, L, C)
        return self.out_proj(y), att
