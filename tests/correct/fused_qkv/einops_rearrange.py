"""einops.rearrange takes the three and the heads apart in one pattern, as vision transformers have it."""

import torch
from einops import rearrange
from torch import nn


class EfficientMultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.0):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("d_model must be divisible by num_heads")
        self.heads = num_heads
        self.scale = (d_model // num_heads) ** -0.5
        self.attend = nn.Softmax(dim=-1)
        self.dropout = nn.Dropout(dropout)
        self.qkv_proj = nn.Linear(d_model, d_model * 3)
        self.out_proj = nn.Linear(d_model, d_model)

    def forward(self, x, mask=None):
        q, k, v = rearrange(self.qkv_proj(x), "b n (three h d) -> three b h n d", three=3, h=self.heads)
        dots = torch.matmul(q, k.transpose(-1, -2)) * self.scale
        if mask is not None:
            dots = dots.masked_fill(mask == 0, -torch.finfo(dots.dtype).max)
        attn = self.attend(dots)
        out = torch.matmul(self.dropout(attn), v)
        return self.out_proj(rearrange(out, "b h n d -> b n (h d)")), attn
