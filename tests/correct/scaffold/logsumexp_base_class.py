"""Derived from a base class that owns the layers; weights are exp(logits - logsumexp)."""

import math
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


class ProjectedAttention(nn.Module):
    """Owns the four layers and the head axis."""

    def __init__(self, cfg: AttentionConfig) -> None:
        super().__init__()
        if cfg.embed_dim % cfg.num_heads != 0:
            raise ValueError("embed_dim must be divisible by num_heads")
        self.num_heads = cfg.num_heads
        self.q_proj = nn.Linear(cfg.embed_dim, cfg.embed_dim, bias=cfg.bias)
        self.k_proj = nn.Linear(cfg.embed_dim, cfg.embed_dim, bias=cfg.bias)
        self.v_proj = nn.Linear(cfg.embed_dim, cfg.embed_dim, bias=cfg.bias)
        self.out_proj = nn.Linear(cfg.embed_dim, cfg.embed_dim, bias=cfg.bias)
        self.dropout = nn.Dropout(cfg.dropout_p)

    def _split_heads(self, x: Tensor) -> Tensor:
        return x.unflatten(2, (self.num_heads, -1)).swapaxes(1, 2)

    def _merge_heads(self, x: Tensor) -> Tensor:
        return x.swapaxes(1, 2).flatten(2, 3)


class MultiHeadAttention(ProjectedAttention):
    def _apply_masks(self, attn_logits, attn_mask, key_padding_mask):
        # -1e30 ist endlich: eine Zeile ohne sichtbare Schlüssel bleibt es auch
        if attn_mask is not None and not attn_mask.is_floating_point():
            attn_logits = attn_logits.masked_fill(~attn_mask, -1e30)
        elif attn_mask is not None:
            attn_logits = attn_logits + attn_mask.clamp(min=-1e30)
        if key_padding_mask is not None:
            attn_logits = attn_logits.masked_fill(~key_padding_mask[:, None, None, :], -1e30)
        return attn_logits

    def forward(self, x, kv=None, *, attn_mask=None, key_padding_mask=None, need_weights=False):
        kv = x if kv is None else kv
        q = self._split_heads(self.q_proj(x))
        k = self._split_heads(self.k_proj(kv))
        v = self._split_heads(self.v_proj(kv))
        logits = self._apply_masks(q @ k.mT / math.sqrt(q.size(3)), attn_mask, key_padding_mask)
        weights = (logits - logits.logsumexp(dim=3, keepdim=True)).exp()
        y = self.out_proj(self._merge_heads(self.dropout(weights) @ v))
        return y, weights.mean(1) if need_weights else None
