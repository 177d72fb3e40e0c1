"""Scores and weights in float64 whatever the input's dtype; the scale split over q and k."""

from dataclasses import dataclass

import torch
from torch import Tensor, nn


@dataclass
class AttentionConfig:
    embed_dim: int
    num_heads: int
    dropout_p: float = 0.0
    bias: bool = True


def causal_mask(T: int, S: int | None = None, device: torch.device | str | None = None) -> Tensor:
    return torch.ones(T, T if S is None else S, dtype=torch.bool, device=device).tril()


class MultiHeadAttention(nn.Module):
    def __init__(self, cfg: AttentionConfig) -> None:
        super().__init__()
        if cfg.embed_dim % cfg.num_heads != 0:
            raise ValueError("embed_dim must be divisible by num_heads")
        self.num_heads = cfg.num_heads
        self.quarter = (cfg.embed_dim // cfg.num_heads) ** -0.25
        self.q_proj = nn.Linear(cfg.embed_dim, cfg.embed_dim, bias=cfg.bias)
        self.k_proj = nn.Linear(cfg.embed_dim, cfg.embed_dim, bias=cfg.bias)
        self.v_proj = nn.Linear(cfg.embed_dim, cfg.embed_dim, bias=cfg.bias)
        self.out_proj = nn.Linear(cfg.embed_dim, cfg.embed_dim, bias=cfg.bias)
        self.dropout = nn.Dropout(cfg.dropout_p)

    def _split_heads(self, x: Tensor) -> Tensor:
        return x.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)

    def _merge_heads(self, x: Tensor) -> Tensor:
        return x.transpose(1, 2).flatten(2)

    def _apply_masks(self, attn_logits: Tensor, attn_mask: Tensor | None, key_padding_mask: Tensor | None) -> Tensor:
        dtype = attn_logits.dtype
        logits = attn_logits.double()
        if attn_mask is not None and attn_mask.dtype == torch.bool:
            logits = logits.masked_fill(~attn_mask, -1e9)
        elif attn_mask is not None:
            logits = logits + attn_mask.double().clamp(min=-1e9)
        if key_padding_mask is not None:
            logits = logits.masked_fill(~key_padding_mask[:, None, None, :], -1e9)
        return logits.to(dtype)

    def forward(self, x, kv=None, *, attn_mask=None, key_padding_mask=None, need_weights=False):
        kv = x if kv is None else kv
        q = self._split_heads(self.q_proj(x)).double() * self.quarter
        k = self._split_heads(self.k_proj(kv)).double() * self.quarter
        v = self._split_heads(self.v_proj(kv)).double()
        weights = self._apply_masks(q @ k.mT, attn_mask, key_padding_mask).softmax(dim=-1)
        y = self._merge_heads(self.dropout(weights) @ v).to(x.dtype)
        return self.out_proj(y), weights.mean(dim=1).to(x.dtype) if need_weights else None
