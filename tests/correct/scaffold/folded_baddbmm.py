"""Heads folded into the batch; the masks are laid over zeros once, and baddbmm adds them."""

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
    def __init__(self, cfg: AttentionConfig) -> None:
        super().__init__()
        self.cfg = cfg
        if cfg.embed_dim % cfg.num_heads:
            raise ValueError(f"{cfg}: embed_dim is not divisible by num_heads")
        size = (cfg.embed_dim, cfg.embed_dim)
        self.q_proj = nn.Linear(*size, bias=cfg.bias)
        self.k_proj = nn.Linear(*size, bias=cfg.bias)
        self.v_proj = nn.Linear(*size, bias=cfg.bias)
        self.out_proj = nn.Linear(*size, bias=cfg.bias)
        self.dropout = nn.Dropout(cfg.dropout_p)

    def _split_heads(self, x: Tensor) -> Tensor:
        B, T, E = x.size()
        return x.reshape(B, T, self.cfg.num_heads, E // self.cfg.num_heads).transpose(1, 2)

    def _merge_heads(self, x: Tensor) -> Tensor:
        B, H, T, D = x.size()
        return x.transpose(1, 2).reshape(B, T, H * D)

    def _apply_masks(self, attn_logits, attn_mask, key_padding_mask):
        floor = torch.finfo(attn_logits.dtype).min / 4
        out = attn_logits
        if attn_mask is not None:
            if attn_mask.dtype == torch.bool:
                out = out.masked_fill(attn_mask == False, floor)  # noqa: E712
            else:
                out = out + attn_mask.type_as(out).clamp(min=floor)
        if key_padding_mask is not None:
            out = out.masked_fill((key_padding_mask == False)[:, None, None, :], floor)  # noqa: E712
        return out

    def forward(self, x, kv=None, *, attn_mask=None, key_padding_mask=None, need_weights=False):
        if kv is None:
            kv = x
        (B, T, _), S, H = x.shape, kv.shape[1], self.cfg.num_heads
        q = self._split_heads(self.q_proj(x)).flatten(0, 1)
        k = self._split_heads(self.k_proj(kv)).flatten(0, 1)
        v = self._split_heads(self.v_proj(kv)).flatten(0, 1)
        bias = self._apply_masks(x.new_zeros(B, H, T, S), attn_mask, key_padding_mask).flatten(0, 1)
        weights = torch.baddbmm(bias, q, k.transpose(1, 2), alpha=q.shape[-1] ** -0.5).softmax(dim=-1)
        y = torch.bmm(self.dropout(weights), v).unflatten(0, (B, H))
        y = self.out_proj(self._merge_heads(y))
        return y, weights.unflatten(0, (B, H)).mean(1) if need_weights else None
