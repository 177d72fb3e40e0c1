"""The attention within heads is checkpointed, dropout included."""

import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint


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
        self.q_proj = nn.Linear(cfg.embed_dim, cfg.embed_dim, bias=cfg.bias)
        self.k_proj = nn.Linear(cfg.embed_dim, cfg.embed_dim, bias=cfg.bias)
        self.v_proj = nn.Linear(cfg.embed_dim, cfg.embed_dim, bias=cfg.bias)
        self.out_proj = nn.Linear(cfg.embed_dim, cfg.embed_dim, bias=cfg.bias)
        self.dropout = nn.Dropout(cfg.dropout_p)

    def _split_heads(self, x: Tensor) -> Tensor:
        B, T, E = x.shape
        return x.reshape(B, T, self.num_heads, E // self.num_heads).permute(0, 2, 1, 3)

    def _merge_heads(self, x: Tensor) -> Tensor:
        return x.permute(0, 2, 1, 3).flatten(2)

    def _apply_masks(self, attn_logits: Tensor, attn_mask: Tensor | None, key_padding_mask: Tensor | None) -> Tensor:
        if key_padding_mask is not None:
            attn_logits = attn_logits.masked_fill(~key_padding_mask[:, None, None, :], -math.inf)
        if attn_mask is not None and attn_mask.dtype == torch.bool:
            attn_logits = attn_logits.masked_fill(~attn_mask, -math.inf)
        elif attn_mask is not None:
            attn_logits = (attn_logits + attn_mask).masked_fill(attn_mask.isneginf(), -math.inf)
        return attn_logits

    def _core(self, q, k, v, attn_mask, key_padding_mask):
        logits = self._apply_masks(q @ k.mT / math.sqrt(k.size(-1)), attn_mask, key_padding_mask)
        weights = torch.nan_to_num(logits.softmax(-1), nan=0.0)
        dropped = self.dropout(weights)
        return dropped @ v, weights

    def forward(self, x, kv=None, *, attn_mask=None, key_padding_mask=None, need_weights=False):
        kv = x if kv is None else kv
        q = self._split_heads(self.q_proj(x))
        k = self._split_heads(self.k_proj(kv))
        v = self._split_heads(self.v_proj(kv))
        heads, weights = checkpoint(self._core, q, k, v, attn_mask, key_padding_mask, use_reentrant=False)
        return self.out_proj(self._merge_heads(heads)), weights.mean(dim=1) if need_weights else None
