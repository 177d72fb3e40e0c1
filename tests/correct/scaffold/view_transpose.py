"""view and transpose, masked_fill with -inf, nan_to_num; float masks of -inf become masked_fill too."""

import math
from dataclasses import dataclass

import torch
import torch.nn.functional as F
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
        self.cfg = cfg
        self.head_dim = cfg.embed_dim // cfg.num_heads
        self.q_proj = nn.Linear(cfg.embed_dim, cfg.embed_dim, bias=cfg.bias)
        self.k_proj = nn.Linear(cfg.embed_dim, cfg.embed_dim, bias=cfg.bias)
        self.v_proj = nn.Linear(cfg.embed_dim, cfg.embed_dim, bias=cfg.bias)
        self.out_proj = nn.Linear(cfg.embed_dim, cfg.embed_dim, bias=cfg.bias)
        self.dropout = nn.Dropout(cfg.dropout_p)

    def _split_heads(self, x: Tensor) -> Tensor:
        B, T, _ = x.shape
        return x.view(B, T, self.cfg.num_heads, self.head_dim).transpose(1, 2)

    def _merge_heads(self, x: Tensor) -> Tensor:
        B, _, T, _ = x.shape
        return x.transpose(1, 2).contiguous().view(B, T, self.cfg.embed_dim)

    def _apply_masks(self, attn_logits, attn_mask, key_padding_mask):
        if attn_mask is not None:
            if attn_mask.dtype == torch.bool:
                attn_logits = attn_logits.masked_fill(~attn_mask, float("-inf"))
            else:
                forbidden = torch.isneginf(attn_mask)
                attn_logits = attn_logits + attn_mask.masked_fill(forbidden, 0.0)
                attn_logits = attn_logits.masked_fill(forbidden, float("-inf"))
        if key_padding_mask is not None:
            attn_logits = attn_logits.masked_fill(~key_padding_mask[:, None, None, :], float("-inf"))
        return attn_logits

    def forward(self, x, kv=None, *, attn_mask=None, key_padding_mask=None, need_weights=False):
        if kv is None:
            kv = x
        q = self._split_heads(self.q_proj(x))
        k = self._split_heads(self.k_proj(kv))
        v = self._split_heads(self.v_proj(kv))
        logits = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(self.head_dim)
        logits = self._apply_masks(logits, attn_mask, key_padding_mask)
        attn = torch.nan_to_num(F.softmax(logits, dim=-1), nan=0.0)
        attn = self.dropout(attn)
        y = self.out_proj(self._merge_heads(torch.matmul(attn, v)))
        return y, attn.mean(dim=1) if need_weights else None
