"""Both masks become one bias that baddbmm adds to the products."""

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        if cfg.embed_dim % cfg.num_heads != 0:
            raise ValueError("num_heads must divide embed_dim")
        self.h, self.d = cfg.num_heads, cfg.embed_dim // cfg.num_heads
        self.q_proj = nn.Linear(cfg.embed_dim, cfg.embed_dim, cfg.bias)
        self.k_proj = nn.Linear(cfg.embed_dim, cfg.embed_dim, cfg.bias)
        self.v_proj = nn.Linear(cfg.embed_dim, cfg.embed_dim, cfg.bias)
        self.out_proj = nn.Linear(cfg.embed_dim, cfg.embed_dim, cfg.bias)
        self.dropout = nn.Dropout(cfg.dropout_p)

    def _split_heads(self, x):
        return x.unflatten(-1, (self.h, -1)).transpose(1, 2)

    def _merge_heads(self, x):
        return x.transpose(1, 2).flatten(2)

    def _bias(self, logits_like, attn_mask, key_padding_mask):
        b = torch.zeros_like(logits_like)
        if attn_mask is not None:
            b = b.masked_fill(~attn_mask, -1e9) if attn_mask.dtype == torch.bool else b + attn_mask.clamp(min=-1e9)
        if key_padding_mask is not None:
            b = b.masked_fill(~key_padding_mask[:, None, None], -1e9)
        return b

    def _apply_masks(self, attn_logits, attn_mask, key_padding_mask):
        return attn_logits + self._bias(attn_logits, attn_mask, key_padding_mask)

    def forward(self, x, kv=None, *, attn_mask=None, key_padding_mask=None, need_weights=False):
        kv = x if kv is None else kv
        b, t, s = x.size(0), x.size(1), kv.size(1)
        q, k, v = (
            self._split_heads(w(u)).flatten(0, 1) for w, u in ((self.q_proj, x), (self.k_proj, kv), (self.v_proj, kv))
        )
        bias = self._bias(x.new_zeros(b, self.h, t, s), attn_mask, key_padding_mask).flatten(0, 1)
        p = torch.baddbmm(bias, q, k.mT, alpha=self.d**-0.5).softmax(-1)
        y = torch.bmm(self.dropout(p), v).unflatten(0, (b, self.h))
        return self.out_proj(self._merge_heads(y)), p.unflatten(0, (b, self.h)).mean(1) if need_weights else None
