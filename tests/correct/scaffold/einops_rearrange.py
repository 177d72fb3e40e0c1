"""einops.rearrange for heads and masks, einops.reduce for the average; the given parts are left out."""

import torch
from einops import rearrange, reduce
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        if cfg.embed_dim % cfg.num_heads:
            raise ValueError("num_heads must divide embed_dim")
        self.num_heads, self.scale = cfg.num_heads, (cfg.embed_dim // cfg.num_heads) ** -0.5
        self.q_proj = nn.Linear(cfg.embed_dim, cfg.embed_dim, bias=cfg.bias)
        self.k_proj = nn.Linear(cfg.embed_dim, cfg.embed_dim, bias=cfg.bias)
        self.v_proj = nn.Linear(cfg.embed_dim, cfg.embed_dim, bias=cfg.bias)
        self.out_proj = nn.Linear(cfg.embed_dim, cfg.embed_dim, bias=cfg.bias)
        self.dropout = nn.Dropout(cfg.dropout_p)

    def _split_heads(self, x):
        return rearrange(x, "b t (h d) -> b h t d", h=self.num_heads)

    def _merge_heads(self, x):
        return rearrange(x, "b h t d -> b t (h d)")

    def _apply_masks(self, attn_logits, attn_mask, key_padding_mask):
        low = torch.finfo(attn_logits.dtype).min
        if attn_mask is not None and attn_mask.dtype == torch.bool:
            attn_logits = attn_logits.masked_fill(~attn_mask, low)
        elif attn_mask is not None:
            attn_logits = (attn_logits + attn_mask).clamp(min=low)
        if key_padding_mask is not None:
            attn_logits = attn_logits.masked_fill(~rearrange(key_padding_mask, "b s -> b 1 1 s"), low)
        return attn_logits

    def forward(self, x, kv=None, *, attn_mask=None, key_padding_mask=None, need_weights=False):
        kv = x if kv is None else kv
        q, k, v = map(self._split_heads, (self.q_proj(x), self.k_proj(kv), self.v_proj(kv)))
        logits = self._apply_masks(q @ k.mT * self.scale, attn_mask, key_padding_mask)
        weights = logits.softmax(dim=-1)
        y = self.out_proj(self._merge_heads(self.dropout(weights) @ v))
        return y, reduce(weights, "b h t s -> b t s", "mean") if need_weights else None
