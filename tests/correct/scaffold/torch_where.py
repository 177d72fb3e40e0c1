"""One bool mask of what may be seen, torch.where before the softmax and after it."""

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


def heads_of(x: Tensor, heads: int) -> Tensor:
    return x.unflatten(2, (heads, x.size(2) // heads)).transpose(1, 2)


class MultiHeadAttention(nn.Module):
    def __init__(self, cfg: AttentionConfig) -> None:
        super().__init__()
        if cfg.embed_dim != cfg.embed_dim // cfg.num_heads * cfg.num_heads:
            raise ValueError("bad number of heads")
        self.heads = cfg.num_heads
        make = lambda: nn.Linear(cfg.embed_dim, cfg.embed_dim, bias=cfg.bias)  # noqa: E731
        self.q_proj, self.k_proj, self.v_proj, self.out_proj = make(), make(), make(), make()
        self.dropout = nn.Dropout(cfg.dropout_p)

    def _split_heads(self, x: Tensor) -> Tensor:
        return heads_of(x, self.heads)

    def _merge_heads(self, x: Tensor) -> Tensor:
        return x.transpose(1, 2).flatten(2)

    def _apply_masks(self, attn_logits: Tensor, attn_mask: Tensor | None, key_padding_mask: Tensor | None) -> Tensor:
        nothing = attn_logits.new_tensor(-torch.inf)
        if attn_mask is not None and attn_mask.dtype != torch.bool:
            attn_logits = torch.where(attn_mask == nothing, nothing, attn_logits + attn_mask)
        elif attn_mask is not None:
            attn_logits = torch.where(attn_mask, attn_logits, nothing)
        if key_padding_mask is not None:
            attn_logits = torch.where(key_padding_mask[:, None, None, :], attn_logits, nothing)
        return attn_logits

    def forward(self, x, kv=None, *, attn_mask=None, key_padding_mask=None, need_weights=False):
        kv = x if kv is None else kv
        q, k, v = self._split_heads(self.q_proj(x)), self._split_heads(self.k_proj(kv)), self.v_proj(kv)
        logits = q @ k.transpose(-1, -2) / (k.shape[-1] ** 0.5)
        masked = self._apply_masks(logits, attn_mask, key_padding_mask)
        seen = masked > -torch.inf
        # Where nothing is seen, softmax is taken of something else and thrown away.
        safe = torch.where(seen.any(-1, keepdim=True), masked, torch.zeros_like(masked))
        weights = torch.where(seen, safe.softmax(-1), torch.zeros_like(safe))
        y = self._merge_heads(self.dropout(weights) @ self._split_heads(v))
        return self.out_proj(y), weights.mean(dim=1) if need_weights else None
