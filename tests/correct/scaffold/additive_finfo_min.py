"""Both masks become one bias, clamped at finfo.min, which is added to the logits."""

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


class MultiHeadAttention(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        if cfg.embed_dim % cfg.num_heads != 0:
            raise ValueError("num_heads does not divide embed_dim")
        self.num_heads = cfg.num_heads
        self.head_dim = cfg.embed_dim // cfg.num_heads
        for name in ("q_proj", "k_proj", "v_proj", "out_proj"):
            self.add_module(name, nn.Linear(cfg.embed_dim, cfg.embed_dim, bias=cfg.bias))
        self.dropout = nn.Dropout(p=cfg.dropout_p)

    def _split_heads(self, x):
        return x.reshape(x.size(0), x.size(1), self.num_heads, self.head_dim).permute(0, 2, 1, 3)

    def _merge_heads(self, x):
        return x.permute(0, 2, 1, 3).reshape(x.size(0), x.size(2), self.num_heads * self.head_dim)

    def _apply_masks(self, attn_logits, attn_mask, key_padding_mask):
        lowest = torch.finfo(attn_logits.dtype).min
        bias = torch.zeros((), dtype=attn_logits.dtype, device=attn_logits.device)
        if attn_mask is not None:
            if attn_mask.dtype == torch.bool:
                bias = bias.masked_fill(~attn_mask, lowest)
            else:
                bias = attn_mask.to(attn_logits.dtype).clamp(min=lowest)
        if key_padding_mask is not None:
            padding = torch.zeros_like(key_padding_mask, dtype=attn_logits.dtype)
            padding = padding.masked_fill(~key_padding_mask, lowest)
            bias = torch.clamp(bias + padding[:, None, None, :], min=lowest)
        # The sum may still leave the range; a row of -inf alone would give NaN.
        return (attn_logits + bias).clamp(min=lowest)

    def forward(self, x, kv=None, *, attn_mask=None, key_padding_mask=None, need_weights=False):
        source = x if kv is None else kv
        q, k, v = (self._split_heads(p(t)) for p, t in self._pairs(x, source))
        attn_logits = (q @ k.mT).div(math.sqrt(self.head_dim))
        probs = self._apply_masks(attn_logits, attn_mask, key_padding_mask).softmax(dim=-1)
        y = self.out_proj(self._merge_heads(self.dropout(probs) @ v))
        if not need_weights:
            return y, None
        return y, probs.sum(dim=1) / self.num_heads

    def _pairs(self, x, source):
        return (self.q_proj, x), (self.k_proj, source), (self.v_proj, source)
