"""The four layers stand in a ModuleList; the contract's names are properties."""

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        if cfg.embed_dim % cfg.num_heads != 0:
            raise ValueError("num_heads must divide embed_dim")
        self.h = cfg.num_heads
        self.projections = nn.ModuleList(nn.Linear(cfg.embed_dim, cfg.embed_dim, cfg.bias) for _ in range(4))
        self.dropout = nn.Dropout(cfg.dropout_p)

    @property
    def q_proj(self):
        return self.projections[0]

    @property
    def k_proj(self):
        return self.projections[1]

    @property
    def v_proj(self):
        return self.projections[2]

    @property
    def out_proj(self):
        return self.projections[3]

    def _split_heads(self, x):
        return x.unflatten(-1, (self.h, -1)).transpose(1, 2)

    def _merge_heads(self, x):
        return x.transpose(1, 2).flatten(2)

    def _apply_masks(self, attn_logits, attn_mask, key_padding_mask):
        for mask in (attn_mask, key_padding_mask):
            if mask is None:
                continue
            if mask is key_padding_mask:
                mask = mask[:, None, None]
            if mask.dtype == torch.bool:
                attn_logits = attn_logits.masked_fill(~mask, -1e9)
            else:
                attn_logits = (attn_logits + mask).clamp(min=-1e9)
        return attn_logits

    def forward(self, x, kv=None, *, attn_mask=None, key_padding_mask=None, need_weights=False):
        kv = x if kv is None else kv
        q, k, v = (self._split_heads(layer(t)) for layer, t in zip(self.projections[:3], (x, kv, kv), strict=True))
        logits = q @ k.mT / q.size(-1) ** 0.5
        p = self._apply_masks(logits, attn_mask, key_padding_mask).softmax(-1)
        y = self.out_proj(self._merge_heads(self.dropout(p) @ v))
        return y, p.mean(1) if need_weights else None
