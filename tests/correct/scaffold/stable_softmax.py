"""Softmax by hand: exponentials of shifted logits, with a denominator that is never 0; scale on the query."""

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


def safe_softmax(logits: Tensor) -> Tensor:
    """Softmax over the last axis; a row of -inf alone gives zeros."""
    top = logits.amax(dim=-1, keepdim=True).detach()
    top = torch.where(top == -torch.inf, 0.0, top)
    e = torch.exp(logits - top)
    total = e.sum(dim=-1, keepdim=True)
    return e / (total + (total == 0).to(total.dtype))


class MultiHeadAttention(nn.Module):
    def __init__(self, cfg: AttentionConfig) -> None:
        super().__init__()
        if cfg.embed_dim % cfg.num_heads != 0:
            raise ValueError("embed_dim must be divisible by num_heads")
        self.num_heads = cfg.num_heads
        self.head_dim = cfg.embed_dim // cfg.num_heads
        self.q_proj = nn.Linear(cfg.embed_dim, cfg.embed_dim, bias=cfg.bias)
        self.k_proj = nn.Linear(cfg.embed_dim, cfg.embed_dim, bias=cfg.bias)
        self.v_proj = nn.Linear(cfg.embed_dim, cfg.embed_dim, bias=cfg.bias)
        self.out_proj = nn.Linear(cfg.embed_dim, cfg.embed_dim, bias=cfg.bias)
        self.dropout = nn.Dropout(cfg.dropout_p)

    def _split_heads(self, x: Tensor) -> Tensor:
        return x.contiguous().view(*x.shape[:-1], self.num_heads, self.head_dim).permute(0, 2, 1, 3)

    def _merge_heads(self, x: Tensor) -> Tensor:
        return x.permute(0, 2, 1, 3).contiguous().view(x.shape[0], x.shape[2], -1)

    def _apply_masks(self, attn_logits: Tensor, attn_mask: Tensor | None, key_padding_mask: Tensor | None) -> Tensor:
        if attn_mask is not None:
            if attn_mask.dtype == torch.bool:
                keep = attn_mask
            else:
                keep = attn_mask != float("-inf")
                attn_logits = attn_logits + attn_mask
            attn_logits = attn_logits.masked_fill(keep.logical_not(), float("-inf"))
        if key_padding_mask is not None:
            keep = key_padding_mask.reshape(key_padding_mask.size(0), 1, 1, -1)
            attn_logits = attn_logits.masked_fill(keep.logical_not(), float("-inf"))
        return attn_logits

    def forward(self, x, kv=None, *, attn_mask=None, key_padding_mask=None, need_weights=False):
        kv = x if kv is None else kv
        q = self._split_heads(self.q_proj(x) * self.head_dim**-0.5)
        k = self._split_heads(self.k_proj(kv))
        v = self._split_heads(self.v_proj(kv))
        p = safe_softmax(self._apply_masks(q @ k.transpose(-2, -1), attn_mask, key_padding_mask))
        y = self.out_proj(self._merge_heads(self.dropout(p) @ v))
        return (y, p.mean(dim=1)) if need_weights else (y, None)
