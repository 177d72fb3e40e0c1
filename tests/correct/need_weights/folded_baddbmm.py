"""As PyTorch does inside: sequence first, heads folded into the batch, the mask added by baddbmm."""

import math

import torch
from torch import Tensor, nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model: int, num_heads: int, dropout: float = 0.0, bias: bool = True) -> None:
        super().__init__()
        self.embed_dim = d_model
        self.num_heads = num_heads
        self.head_dim = d_model // num_heads
        assert self.head_dim * num_heads == d_model, "embed_dim must be divisible by num_heads"
        self.p = dropout
        factory = {"in_features": d_model, "out_features": d_model, "bias": bias}
        self.W_Q, self.W_K = nn.Linear(**factory), nn.Linear(**factory)
        self.W_V, self.W_O = nn.Linear(**factory), nn.Linear(**factory)
        for name, parameter in self.named_parameters():
            nn.init.zeros_(parameter) if name.endswith("bias") else nn.init.xavier_uniform_(parameter)

    def extra_repr(self) -> str:
        bias = self.W_O.bias is not None
        return f"d_model={self.embed_dim}, num_heads={self.num_heads}, dropout={self.p}, bias={bias}"

    def _fold(self, x: Tensor) -> Tensor:
        length, batch, _ = x.shape
        return x.contiguous().view(length, batch * self.num_heads, self.head_dim).transpose(0, 1)

    def forward(self, query, key, value, mask=None, need_weights=True):
        query, key, value = (x.transpose(0, 1) for x in (query, key, value))
        tgt_len, bsz, embed_dim = query.shape
        src_len = key.shape[0]
        q, k, v = self._fold(self.W_Q(query)), self._fold(self.W_K(key)), self._fold(self.W_V(value))
        q_scaled = q * math.sqrt(1.0 / self.head_dim)
        if mask is None:
            attn = torch.bmm(q_scaled, k.transpose(-2, -1))
        else:
            hidden = mask == 0
            hidden = hidden & ~hidden.all(dim=-1, keepdim=True)
            attn_mask = torch.zeros(hidden.shape, dtype=q.dtype).masked_fill_(hidden, float("-inf"))
            attn_mask = attn_mask.expand(bsz, self.num_heads, tgt_len, src_len).flatten(0, 1)
            attn = torch.baddbmm(attn_mask, q_scaled, k.transpose(-2, -1))
        attn = nn.functional.softmax(attn, dim=-1)
        if self.training and self.p > 0.0:
            attn = nn.functional.dropout(attn, p=self.p)
        output = torch.bmm(attn, v).transpose(0, 1).reshape(tgt_len, bsz, embed_dim)
        output = nn.functional.dropout(self.W_O(output), self.p, self.training).transpose(0, 1)
        if need_weights:
            return output, attn.view(bsz, self.num_heads, tgt_len, src_len)
        return output, None
