"""A candidate's scaffold that is right but for the scale of the scores."""

from dataclasses import dataclass

import torch
from torch import nn


@dataclass
class AttentionConfig:
    embed_dim: int
    num_heads: int
    dropout_p: float = 0.0
    bias: bool = True


def causal_mask(T, S=None, device=None):
    return torch.ones(T, T if S is None else S, dtype=torch.bool, device=device).tril()


class MultiHeadAttention(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        if cfg.embed_dim % cfg.num_heads:
            raise ValueError("num_heads must divide embed_dim")
        self.num_heads = cfg.num_heads
        self.q_proj = nn.Linear(cfg.embed_dim, cfg.embed_dim, bias=cfg.bias)
        self.k_proj = nn.Linear(cfg.embed_dim, cfg.embed_dim, bias=cfg.bias)
        self.v_proj = nn.Linear(cfg.embed_dim, cfg.embed_dim, bias=cfg.bias)
        self.out_proj = nn.Linear(cfg.embed_dim, cfg.embed_dim, bias=cfg.bias)
        self.dropout = nn.Dropout(cfg.dropout_p)

    def _split_heads(self, x):
        B, T, E = x.shape
        return x.view(B, T, self.num_heads, E // self.num_heads).transpose(1, 2)

    def _merge_heads(self, x):
        return x.transpose(1, 2).flatten(2)

    def _apply_masks(self, attn_logits, attn_mask, key_padding_mask):
        if attn_mask is not None and attn_mask.dtype != torch.bool:
            attn_logits = attn_logits + attn_mask
            attn_mask = attn_mask != float("-inf")
        if attn_mask is not None:
            attn_logits = attn_logits.masked_fill(~attn_mask, float("-inf"))
        if key_padding_mask is not None:
            attn_logits = attn_logits.masked_fill(~key_padding_mask[:, None, None, :], float("-inf"))
        return attn_logits

    def forward(self, x, kv=None, *, attn_mask=None, key_padding_mask=None, need_weights=False):
        kv = x if kv is None else kv
        q = self._split_heads(self.q_proj(x))
        k = self._split_heads(self.k_proj(kv))
        v = self._split_heads(self.v_proj(kv))
        attn_logits = self._apply_masks(q @ k.transpose(-2, -1), attn_mask, key_padding_mask)
        weights = torch.softmax(attn_logits, dim=-1).masked_fill(attn_logits == float("-inf"), 0.0)
        y = self.out_proj(self._merge_heads(self.dropout(weights) @ v))
        return y, weights.mean(dim=1) if need_weights else None
