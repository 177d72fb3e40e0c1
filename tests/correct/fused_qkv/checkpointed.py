"""The whole forward pass is checkpointed."""

import math

from torch import nn
from torch.utils import checkpoint


class EfficientMultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.0):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("d_model must be divisible by num_heads")
        self.num_heads = num_heads
        self.qkv_proj = nn.Linear(d_model, 3 * d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.dropout = nn.Dropout(dropout)

    def _forward(self, x, mask):
        B, L, E = x.shape
        D = E // self.num_heads
        qkv = self.qkv_proj(x).view(B, L, 3, self.num_heads, D)
        q, k, v = (qkv[:, :, i].transpose(1, 2) for i in range(3))
        att = q.div(math.sqrt(D)) @ k.transpose(2, 3)
        if mask is not None:
            # additive, and finite so that an empty row stays finite
            att = att + (mask == 0).to(att.dtype) * -1e9
        att = att.softmax(-1)
        y = (self.dropout(att) @ v).transpose(1, 2).flatten(2)
        return self.out_proj(y), att

    def forward(self, x, mask=None):
        return checkpoint.checkpoint(self._forward, x, mask, use_reentrant=False)
