"""Online softmax over blocks of keys where no weights are wanted and none are dropped; a plain path otherwise."""

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


class MultiHeadAttention(nn.Module):
    BLOCK = 4

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
        return x.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)

    def _merge_heads(self, x: Tensor) -> Tensor:
        return x.transpose(1, 2).flatten(2)

    def _apply_masks(self, attn_logits: Tensor, attn_mask: Tensor | None, key_padding_mask: Tensor | None) -> Tensor:
        if attn_mask is not None and attn_mask.dtype == torch.bool:
            attn_logits = attn_logits.masked_fill(~attn_mask, -torch.inf)
        elif attn_mask is not None:
            attn_logits = (attn_logits + attn_mask).masked_fill(attn_mask == -torch.inf, -torch.inf)
        if key_padding_mask is not None:
            attn_logits = attn_logits.masked_fill(~key_padding_mask[:, None, None, :], -torch.inf)
        return attn_logits

    def _online(self, q, k, v, attn_mask, key_padding_mask):
        top = torch.full_like(q[..., :1], torch.finfo(q.dtype).min)
        total, acc = torch.zeros_like(top), torch.zeros_like(q)
        for start in range(0, k.size(2), self.BLOCK):
            part = slice(start, start + self.BLOCK)
            logits = self._apply_masks(
                q @ k[:, :, part].mT,
                None if attn_mask is None else attn_mask[..., part],
                None if key_padding_mask is None else key_padding_mask[:, part],
            )
            new_top = torch.maximum(top, logits.amax(-1, keepdim=True))
            p, fade = torch.exp(logits - new_top), torch.exp(top - new_top)
            total = total * fade + p.sum(-1, keepdim=True)
            acc = acc * fade + p @ v[:, :, part]
            top = new_top
        return acc / torch.where(total > 0, total, 1.0)

    def forward(self, x, kv=None, *, attn_mask=None, key_padding_mask=None, need_weights=False):
        kv = x if kv is None else kv
        q, k, v = (self._split_heads(t) for t in (self.q_proj(x), self.k_proj(kv), self.v_proj(kv)))
        q = q / q.size(-1) ** 0.5
        if not need_weights and not (self.training and self.dropout.p > 0):
            return self.out_proj(self._merge_heads(self._online(q, k, v, attn_mask, key_padding_mask))), None
        logits = self._apply_masks(q @ k.mT, attn_mask, key_padding_mask)
        weights = torch.softmax(logits, dim=-1).masked_fill(logits == -torch.inf, 0)
        y = self.out_proj(self._merge_heads(self.dropout(weights) @ v))
        return y, weights.mean(dim=1) if need_weights else None
