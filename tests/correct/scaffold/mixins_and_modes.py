"""Mixins for layout and masks, a frozen configuration that checks itself, the kinds of masks as an enumeration."""

import enum
from dataclasses import dataclass, field

import torch
from torch import nn


class Kind(enum.Enum):
    ALLOW = enum.auto()
    ADD = enum.auto()

    @classmethod
    def of(cls, mask):
        return cls.ALLOW if mask.dtype is torch.bool else cls.ADD


@dataclass(frozen=True)
class AttentionConfig:
    embed_dim: int
    num_heads: int
    dropout_p: float = 0.0
    bias: bool = True
    name: str = field(default="attention", repr=False)

    def __post_init__(self):
        if self.embed_dim % self.num_heads:
            raise ValueError(f"{self.embed_dim} features for {self.num_heads} heads")

    @property
    def head_dim(self):
        return self.embed_dim // self.num_heads


def causal_mask(T, S=None, device=None):
    return torch.arange(T, device=device)[:, None] >= torch.arange(T if S is None else S, device=device)


class Layout:
    def _split_heads(self, x):
        return x.unfold(-1, self.cfg.head_dim, self.cfg.head_dim).movedim(2, 1)

    def _merge_heads(self, x):
        return x.permute(0, 2, 1, 3).reshape(len(x), x.size(2), -1)


class Masks:
    def _apply_masks(self, attn_logits, attn_mask, key_padding_mask):
        lowest = torch.finfo(attn_logits.dtype).min
        if attn_mask is not None:
            match Kind.of(attn_mask):
                case Kind.ALLOW:
                    attn_logits = attn_logits.masked_fill(attn_mask.logical_not(), lowest)
                case Kind.ADD:
                    attn_logits = (attn_logits + attn_mask.to(attn_logits)).clamp(min=lowest)
        if key_padding_mask is not None:
            attn_logits = attn_logits.masked_fill(key_padding_mask.logical_not()[:, None, None], lowest)
        return attn_logits


class MultiHeadAttention(Layout, Masks, nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.cfg = cfg
        for name in ("q", "k", "v", "out"):
            self.add_module(f"{name}_proj", nn.Linear(cfg.embed_dim, cfg.embed_dim, bias=cfg.bias))
        self.dropout = nn.Dropout(cfg.dropout_p)

    def forward(self, x, kv=None, *, attn_mask=None, key_padding_mask=None, need_weights=False):
        kv = x if kv is None else kv
        q, k, v = map(self._split_heads, (self.q_proj(x), self.k_proj(kv), self.v_proj(kv)))
        logits = torch.einsum("bhtd,bhsd->bhts", q * self.cfg.head_dim**-0.5, k)
        weights = self._apply_masks(logits, attn_mask, key_padding_mask).softmax(-1)
        y = self.out_proj(self._merge_heads(torch.einsum("bhts,bhsd->bhtd", self.dropout(weights), v)))
        return y, weights.mean(1) if need_weights else None
