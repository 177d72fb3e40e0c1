"""One product for q, k and v in self-attention; einops for every shape; -inf is added, weights by logsumexp."""

import torch
import torch.nn.functional as F
from einops import einsum, rearrange
from torch import nn


class FlashMultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.0, bias=True):
        super().__init__()
        assert d_model % num_heads == 0, f"{num_heads} heads do not fit {d_model}"
        self.heads, self.p, self.has_bias = num_heads, dropout, bias
        self.W_Q = nn.Linear(d_model, d_model, bias=bias)
        self.W_K = nn.Linear(d_model, d_model, bias=bias)
        self.W_V = nn.Linear(d_model, d_model, bias=bias)
        self.W_O = nn.Linear(d_model, d_model, bias=bias)
        for weight in (x for x in self.parameters() if x.ndim == 2):
            nn.init.xavier_uniform_(weight)
        for offset in (x for x in self.parameters() if x.ndim == 1):
            nn.init.zeros_(offset)

    def to_qkv(self, query, key, value):
        layers = self.W_Q, self.W_K, self.W_V
        if query is key and key is value:
            bias = torch.cat([layer.bias for layer in layers]) if self.has_bias else None
            qkv = F.linear(query, torch.cat([layer.weight for layer in layers]), bias)
            return rearrange(qkv, "b n (three h d) -> three b h n d", three=3, h=self.heads).unbind(0)
        streams = zip(layers, (query, key, value), strict=True)
        return tuple(rearrange(layer(x), "b n (h d) -> b h n d", h=self.heads) for layer, x in streams)

    def additive(self, mask, is_causal, q, k):
        """The mask that is added, and the fully masked rows, which it leaves open."""
        bias = torch.zeros(1, 1, q.shape[2], k.shape[2], dtype=q.dtype)
        if is_causal:
            bias = bias + torch.full_like(bias, -torch.inf).triu(1)
        if mask is not None:
            bias = torch.where(mask.bool(), bias, -torch.inf)
        fully_masked = bias.isneginf().all(-1, keepdim=True)
        return bias.masked_fill(fully_masked, 0.0), fully_masked

    def forward(self, query, key, value, mask=None, is_causal=False, return_attention=False):
        q, k, v = self.to_qkv(query, key, value)
        bias, fully_masked = self.additive(mask, is_causal, q, k)
        out = F.scaled_dot_product_attention(q, k, v, attn_mask=bias, dropout_p=self.p if self.training else 0.0)
        out = self.W_O(rearrange(out.masked_fill(fully_masked, 0.0), "b h n d -> b n (h d)"))
        if not return_attention:
            return out, None
        sim = einsum(q, k, "b h i d, b h j d -> b h i j") * q.shape[-1] ** -0.5 + bias
        attn = (sim - sim.logsumexp(-1, keepdim=True)).exp()
        return out, attn.masked_fill(fully_masked, 0.0)

    def extra_repr(self):
        width = self.W_O.weight.shape[0]
        return f"d_model={width}, num_heads={self.heads}, dropout={self.p}, bias={self.has_bias}"
