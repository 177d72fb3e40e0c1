"""Queries in chunks of 3, attn_mask cut to fit; a decorator checks the batch sizes."""

import functools
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


def same_batch(forward):
    @functools.wraps(forward)
    def checked(*args, **kwargs):
        tensors = [value for value in (*args, kwargs.get("kv")) if isinstance(value, Tensor)]
        if len({tensor.shape[0] for tensor in tensors}) > 1:
            raise ValueError("x and kv must hold the same number of sequences")
        return forward(*args, **kwargs)

    return checked


class MultiHeadAttention(nn.Module):
    def __init__(self, cfg: AttentionConfig, chunk_size: int = 3) -> None:
        super().__init__()
        if cfg.embed_dim % cfg.num_heads != 0:
            raise ValueError("embed_dim must be divisible by num_heads")
        self.num_heads, self.chunk_size = cfg.num_heads, chunk_size
        self.head_dim = cfg.embed_dim // cfg.num_heads
        self.q_proj = nn.Linear(cfg.embed_dim, cfg.embed_dim, bias=cfg.bias)
        self.k_proj = nn.Linear(cfg.embed_dim, cfg.embed_dim, bias=cfg.bias)
        self.v_proj = nn.Linear(cfg.embed_dim, cfg.embed_dim, bias=cfg.bias)
        self.out_proj = nn.Linear(cfg.embed_dim, cfg.embed_dim, bias=cfg.bias)
        self.dropout = nn.Dropout(cfg.dropout_p)

    def _split_heads(self, x: Tensor) -> Tensor:
        return x.reshape(x.shape[0], x.shape[1], self.num_heads, self.head_dim).transpose(1, 2)

    def _merge_heads(self, x: Tensor) -> Tensor:
        return x.transpose(1, 2).reshape(x.shape[0], x.shape[2], self.num_heads * self.head_dim)

    def _apply_masks(self, attn_logits: Tensor, attn_mask: Tensor | None, key_padding_mask: Tensor | None) -> Tensor:
        allowed = torch.ones_like(attn_logits, dtype=torch.bool)
        if attn_mask is not None and attn_mask.dtype == torch.bool:
            allowed = allowed & attn_mask
        if attn_mask is not None and attn_mask.dtype != torch.bool:
            allowed = allowed & (attn_mask != -math.inf)
            attn_logits = attn_logits + attn_mask.clamp(min=torch.finfo(attn_mask.dtype).min)
        if key_padding_mask is not None:
            allowed = allowed & key_padding_mask[:, None, None, :]
        return torch.where(allowed, attn_logits, torch.finfo(attn_logits.dtype).min)

    @same_batch
    def forward(self, x, kv=None, *, attn_mask=None, key_padding_mask=None, need_weights=False):
        kv = x if kv is None else kv
        k, v = self._split_heads(self.k_proj(kv)), self._split_heads(self.v_proj(kv))
        ys, ws = [], []
        for start in range(0, x.shape[1], self.chunk_size):
            rows = slice(start, start + self.chunk_size)
            q = self._split_heads(self.q_proj(x[:, rows]))
            mask = None if attn_mask is None else attn_mask[..., rows, :]
            logits = self._apply_masks(q @ k.transpose(2, 3) / math.sqrt(self.head_dim), mask, key_padding_mask)
            weights = logits.softmax(-1)
            ys.append(self._merge_heads(self.dropout(weights) @ v))
            ws.append(weights.mean(1))
        y = self.out_proj(torch.cat(ys, dim=1))
        return y, torch.cat(ws, dim=1) if need_weights else None
