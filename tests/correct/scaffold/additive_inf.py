"""All masks become one bias that is added; rows of nothing but -inf are opened first and emptied afterwards."""

import math

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        if cfg.embed_dim % cfg.num_heads:
            raise ValueError(f"{cfg.num_heads} heads do not divide {cfg.embed_dim} features")
        self.heads = cfg.num_heads
        for name in ("q_proj", "k_proj", "v_proj", "out_proj"):
            setattr(self, name, nn.Linear(cfg.embed_dim, cfg.embed_dim, bias=cfg.bias))
        self.dropout = nn.Dropout(cfg.dropout_p)

    def _split_heads(self, x):
        return x.reshape(x.size(0), x.size(1), self.heads, -1).permute(0, 2, 1, 3)

    def _merge_heads(self, x):
        return x.permute(0, 2, 1, 3).reshape(x.size(0), x.size(2), -1)

    def _apply_masks(self, attn_logits, attn_mask, key_padding_mask):
        return attn_logits + self._bias(attn_logits, attn_mask, key_padding_mask)

    def _bias(self, logits, attn_mask, key_padding_mask):
        bias = torch.zeros_like(logits)
        if attn_mask is not None:
            bias = bias + (self._hiding(attn_mask, logits) if attn_mask.dtype == torch.bool else attn_mask.to(logits))
        if key_padding_mask is not None:
            bias = bias + self._hiding(key_padding_mask[:, None, None, :], logits)
        return bias

    @staticmethod
    def _hiding(seen, logits):
        return torch.zeros(seen.shape, dtype=logits.dtype, device=logits.device).masked_fill(~seen, -math.inf)

    def forward(self, x, kv=None, *, attn_mask=None, key_padding_mask=None, need_weights=False):
        kv = x if kv is None else kv
        q = self._split_heads(self.q_proj(x)) / math.sqrt(x.size(-1) // self.heads)
        k, v = self._split_heads(self.k_proj(kv)), self._split_heads(self.v_proj(kv))
        logits = q @ k.transpose(-2, -1)
        bias = self._bias(logits, attn_mask, key_padding_mask)
        fully_masked = (bias == -math.inf).all(-1, keepdim=True)
        weights = (logits + bias.masked_fill(fully_masked, 0.0)).softmax(-1).masked_fill(fully_masked, 0.0)
        y = self.out_proj(self._merge_heads(self.dropout(weights) @ v))
        return y, weights.mean(1) if need_weights else None
