"""Scores and mixing written for one head and mapped over heads by torch.vmap; dropout stays outside."""

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


def scores_of_one_head(q: Tensor, k: Tensor) -> Tensor:
    return torch.bmm(q, k.transpose(1, 2)) / q.shape[-1] ** 0.5


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
        return torch.stack(x.tensor_split(self.num_heads, dim=-1), dim=1)

    def _merge_heads(self, x: Tensor) -> Tensor:
        return torch.hstack([*x.mT.unbind(1)]).mT  # features of all heads one below the other, then turned back

    def _apply_masks(self, attn_logits: Tensor, attn_mask: Tensor | None, key_padding_mask: Tensor | None) -> Tensor:
        if attn_mask is not None:
            hidden = attn_mask == -torch.inf if attn_mask.is_floating_point() else ~attn_mask
            added = attn_mask.masked_fill(hidden, 0) if attn_mask.is_floating_point() else 0
            attn_logits = (attn_logits + added).masked_fill(hidden, -torch.inf)
        if key_padding_mask is not None:
            attn_logits = attn_logits.masked_fill(~key_padding_mask[:, None, None], -torch.inf)
        return attn_logits

    def forward(self, x, kv=None, *, attn_mask=None, key_padding_mask=None, need_weights=False):
        kv = x if kv is None else kv
        q, k, v = (self._split_heads(p(t)) for p, t in ((self.q_proj, x), (self.k_proj, kv), (self.v_proj, kv)))
        logits = torch.vmap(scores_of_one_head, in_dims=1, out_dims=1)(q, k)
        logits = self._apply_masks(logits, attn_mask, key_padding_mask)
        weights = logits.softmax(-1).masked_fill(logits == -torch.inf, 0)
        heads = torch.vmap(torch.bmm, in_dims=1, out_dims=1)(self.dropout(weights), v)
        return self.out_proj(self._merge_heads(heads)), weights.mean(1) if need_weights else None
