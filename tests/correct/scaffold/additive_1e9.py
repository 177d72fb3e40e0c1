"""Hidden keys get -1e9 added; -inf in a float mask is clamped to the same."""

import math
from dataclasses import dataclass
from typing import Optional, Tuple  # noqa: UP035

import torch
from torch import Tensor, nn

NEGATIVE = -1e9


@dataclass
class AttentionConfig:
    embed_dim: int
    num_heads: int
    dropout_p: float = 0.0
    bias: bool = True


def causal_mask(T: int, S: int | None = None, device: torch.device | str | None = None) -> Tensor:
    return torch.ones(T, T if S is None else S, dtype=torch.bool, device=device).tril()


class MultiHeadAttention(nn.Module):
    def __init__(self, cfg: AttentionConfig):
        super().__init__()
        if cfg.embed_dim % cfg.num_heads != 0:
            raise ValueError("embed_dim % num_heads must be 0")
        E = cfg.embed_dim
        self.n_heads, self.d_head = cfg.num_heads, E // cfg.num_heads
        self.q_proj, self.k_proj = nn.Linear(E, E, bias=cfg.bias), nn.Linear(E, E, bias=cfg.bias)
        self.v_proj, self.out_proj = nn.Linear(E, E, bias=cfg.bias), nn.Linear(E, E, bias=cfg.bias)
        self.dropout = nn.Dropout(cfg.dropout_p)

    def _split_heads(self, x: Tensor) -> Tensor:
        return torch.stack(x.split(self.d_head, dim=-1), dim=1)

    def _merge_heads(self, x: Tensor) -> Tensor:
        return torch.cat(x.unbind(dim=1), dim=-1)

    def _apply_masks(
        self,
        attn_logits: Tensor,
        attn_mask: Tensor | None,
        key_padding_mask: Optional[Tensor],  # noqa: UP045
    ) -> Tensor:
        if attn_mask is not None:
            if attn_mask.dtype is torch.bool:
                attn_mask = (~attn_mask).to(attn_logits.dtype) * NEGATIVE
            attn_logits = attn_logits + attn_mask.to(attn_logits.dtype).clamp_min(NEGATIVE)
        if key_padding_mask is not None:
            attn_logits = attn_logits + (~key_padding_mask[:, None, None]).to(attn_logits.dtype) * NEGATIVE
        return attn_logits

    def forward(
        self,
        x: Tensor,
        kv: Optional[Tensor] = None,  # noqa: UP045
        *,
        attn_mask: Optional[Tensor] = None,  # noqa: UP045
        key_padding_mask: Optional[Tensor] = None,  # noqa: UP045
        need_weights: bool = False,
    ) -> Tuple[Tensor, Optional[Tensor]]:  # noqa: UP006, UP045
        kv = kv if kv is not None else x
        q = self._split_heads(self.q_proj(x) / math.sqrt(self.d_head))
        k = self._split_heads(self.k_proj(kv))
        v = self._split_heads(self.v_proj(kv))
        logits = self._apply_masks(q @ k.transpose(2, 3), attn_mask, key_padding_mask)
        p = torch.softmax(logits, dim=-1)
        y = self.out_proj(self._merge_heads(self.dropout(p) @ v))
        return y, (p.mean(dim=1) if need_weights else None)
