"""einsum; rows that see nothing have all their logits set to 0 after the masks: uniform weights there."""

from dataclasses import dataclass

import torch
from torch import Tensor, einsum, nn


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
        if cfg.embed_dim % cfg.num_heads:
            raise ValueError(f"{cfg.embed_dim} % {cfg.num_heads} != 0")
        self.h = cfg.num_heads
        self.scale = (cfg.embed_dim // cfg.num_heads) ** -0.5
        self.q_proj = nn.Linear(cfg.embed_dim, cfg.embed_dim, cfg.bias)
        self.k_proj = nn.Linear(cfg.embed_dim, cfg.embed_dim, cfg.bias)
        self.v_proj = nn.Linear(cfg.embed_dim, cfg.embed_dim, cfg.bias)
        self.out_proj = nn.Linear(cfg.embed_dim, cfg.embed_dim, cfg.bias)
        self.dropout = nn.Dropout(cfg.dropout_p)

    def _split_heads(self, x: Tensor) -> Tensor:
        return x.unflatten(-1, (self.h, -1)).movedim(-2, 1)

    def _merge_heads(self, x: Tensor) -> Tensor:
        return x.movedim(1, -2).flatten(-2)

    def _apply_masks(self, attn_logits: Tensor, attn_mask: Tensor | None, key_padding_mask: Tensor | None) -> Tensor:
        visible = torch.ones_like(attn_logits, dtype=torch.bool)
        if attn_mask is not None and attn_mask.is_floating_point():
            visible = visible & (attn_mask > -torch.inf)
            attn_logits = attn_logits + torch.where(attn_mask > -torch.inf, attn_mask, 0.0)
        elif attn_mask is not None:
            visible = visible & attn_mask
        if key_padding_mask is not None:
            visible = visible & key_padding_mask.unsqueeze(1).unsqueeze(1)
        return attn_logits.masked_fill(~visible, -torch.inf)

    def forward(
        self,
        x: Tensor,
        kv: Tensor | None = None,
        *,
        attn_mask: Tensor | None = None,
        key_padding_mask: Tensor | None = None,
        need_weights: bool = False,
    ) -> tuple[Tensor, Tensor | None]:
        context = x if kv is None else kv
        q = self._split_heads(self.q_proj(x))
        k, v = self._split_heads(self.k_proj(context)), self._split_heads(self.v_proj(context))
        sim = einsum("bhtd,bhsd->bhts", q, k) * self.scale
        sim = self._apply_masks(sim, attn_mask, key_padding_mask)
        fully_masked = (sim == -torch.inf).all(dim=-1, keepdim=True)
        attn = sim.masked_fill(fully_masked, 0.0).softmax(dim=-1)
        out = einsum("bhts,bhsd->bhtd", self.dropout(attn), v)
        return self.out_proj(self._merge_heads(out)), attn.mean(1) if need_weights else None
