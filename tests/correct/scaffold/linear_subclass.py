"""A subclass of nn.Linear with an initialisation of its own, and a dropout that is a subclass too."""

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


class Projection(nn.Linear):
    def __init__(self, cfg: AttentionConfig) -> None:
        super().__init__(cfg.embed_dim, cfg.embed_dim, bias=cfg.bias)
        nn.init.normal_(self.weight, std=0.02)
        if self.bias is not None:
            nn.init.zeros_(self.bias)

    def forward(self, input: Tensor) -> Tensor:
        y = torch.matmul(input, self.weight.t())
        return y if self.bias is None else y + self.bias


class AttentionDropout(nn.Dropout):
    def forward(self, input: Tensor) -> Tensor:
        return super().forward(input) if self.p > 0.0 else input


class MultiHeadAttention(nn.Module):
    def __init__(self, cfg: AttentionConfig) -> None:
        super().__init__()
        if cfg.embed_dim % cfg.num_heads != 0:
            raise ValueError("embed_dim must be divisible by num_heads")
        self.num_heads = cfg.num_heads
        self.q_proj, self.k_proj, self.v_proj, self.out_proj = (Projection(cfg) for _ in range(4))
        self.dropout = AttentionDropout(cfg.dropout_p)

    def _split_heads(self, x: Tensor) -> Tensor:
        return x.unflatten(-1, (self.num_heads, -1)).permute(0, 2, 1, 3)

    def _merge_heads(self, x: Tensor) -> Tensor:
        return x.permute(0, 2, 1, 3).flatten(-2)

    def _apply_masks(self, attn_logits: Tensor, attn_mask: Tensor | None, key_padding_mask: Tensor | None) -> Tensor:
        if attn_mask is not None and attn_mask.dtype == torch.bool:
            attn_logits = attn_logits.where(attn_mask, -math.inf)
        elif attn_mask is not None:
            attn_logits = (attn_logits + attn_mask).where(attn_mask > -math.inf, -math.inf)
        if key_padding_mask is not None:
            attn_logits = attn_logits.where(key_padding_mask[:, None, None, :], -math.inf)
        return attn_logits

    def forward(self, x, kv=None, *, attn_mask=None, key_padding_mask=None, need_weights=False):
        kv = x if kv is None else kv
        q, k, v = map(self._split_heads, (self.q_proj(x), self.k_proj(kv), self.v_proj(kv)))
        logits = torch.einsum("bhtd,bhsd->bhts", q, k) / q.size(-1) ** 0.5
        logits = self._apply_masks(logits, attn_mask, key_padding_mask)
        # A last key that everyone sees when there is no other: its weight is cut off again.
        fully_masked = torch.isneginf(logits).all(-1, keepdim=True)
        sink = torch.where(fully_masked, 0.0, -math.inf).to(logits.dtype)
        weights = torch.cat([logits, sink], dim=-1).softmax(-1)[..., :-1]
        y = self.out_proj(self._merge_heads(self.dropout(weights) @ v))
        return y, weights.mean(1) if need_weights else None
