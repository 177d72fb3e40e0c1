"""torch.ops.aten, queries in blocks: each block of rows has its own part of the mask and of the triangle."""

import torch
from torch import nn

attend = torch.ops.aten.scaled_dot_product_attention.default


class FlashMultiHeadAttention(nn.Module):
    BLOCK = 16

    def __init__(self, d_model, num_heads, dropout=0.0, bias=True):
        super().__init__()
        if d_model % num_heads:
            raise ValueError("heads")
        self.d_model, self.num_heads, self.dropout, self.has_bias = d_model, num_heads, dropout, bias
        self.W_Q, self.W_K, self.W_V, self.W_O = [nn.Linear(d_model, d_model, bias) for _ in "QKVO"]
        for layer in (self.W_Q, self.W_K, self.W_V, self.W_O):
            nn.init.xavier_uniform_(layer.weight)
            if bias:
                with torch.no_grad():
                    layer.bias.fill_(0)

    def extra_repr(self) -> str:
        return f"d_model={self.d_model}, num_heads={self.num_heads}, dropout={self.dropout}, bias={self.has_bias}"

    def split(self, x):
        return x.reshape(*x.shape[:2], self.num_heads, -1).permute(0, 2, 1, 3)

    def forward(self, query, key, value, mask=None, is_causal=False, return_attention=False):
        q, k, v = self.split(self.W_Q(query)), self.split(self.W_K(key)), self.split(self.W_V(value))
        B, H, L, D = q.shape
        S = k.shape[2]
        rows, weights = [], []
        for start in range(0, L, self.BLOCK):
            block = q[:, :, start : start + self.BLOCK]
            queries = torch.arange(start, start + block.shape[2])[:, None]
            seen = torch.arange(S) <= (queries if is_causal else S)
            seen = seen.expand(B, 1, block.shape[2], S)
            if mask is not None:
                part = mask if mask.shape[2] == 1 else mask[:, :, start : start + self.BLOCK]
                seen = seen & (part > 0)
            rows.append(attend(block, k, v, seen, self.dropout if self.training else 0.0))
            if return_attention:
                scores = block.matmul(k.mT).div(D**0.5).masked_fill(~seen, -1e30)
                weights.append(scores.softmax(-1))
        merged = torch.cat(rows, dim=2).permute(0, 2, 1, 3).reshape(B, L, H * D)
        return self.W_O(merged), torch.cat(weights, dim=2) if return_attention else None
