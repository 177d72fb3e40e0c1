"""The two masks are joined before the logits are filled with -inf; nan_to_num for rows that see nothing."""

import math

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        if cfg.embed_dim % cfg.num_heads != 0:
            raise ValueError("embed_dim must be divisible by num_heads")
        self.num_heads = cfg.num_heads
        self.head_dim = cfg.embed_dim // cfg.num_heads
        self.q_proj = nn.Linear(cfg.embed_dim, cfg.embed_dim, bias=cfg.bias)
        self.k_proj = nn.Linear(cfg.embed_dim, cfg.embed_dim, bias=cfg.bias)
        self.v_proj = nn.Linear(cfg.embed_dim, cfg.embed_dim, bias=cfg.bias)
        self.out_proj = nn.Linear(cfg.embed_dim, cfg.embed_dim, bias=cfg.bias)
        self.dropout = nn.Dropout(cfg.dropout_p)

    def _split_heads(self, x):
        B, T, _ = x.shape
        return x.view(B, T, self.num_heads, self.head_dim).transpose(1, 2)

    def _merge_heads(self, x):
        B, _, T, _ = x.shape
        return x.transpose(1, 2).contiguous().view(B, T, -1)

    def _apply_masks(self, attn_logits, attn_mask, key_padding_mask):
        keep = None
        if attn_mask is not None and attn_mask.dtype == torch.bool:
            keep = attn_mask
        elif attn_mask is not None:
            keep = attn_mask != float("-inf")
            attn_logits = attn_logits + attn_mask.masked_fill(~keep, 0.0)
        if key_padding_mask is not None:
            padding = key_padding_mask[:, None, None, :]
            keep = padding if keep is None else keep & padding
        if keep is not None:
            attn_logits = attn_logits.masked_fill(~keep, float("-inf"))
        return attn_logits

    def forward(self, x, kv=None, *, attn_mask=None, key_padding_mask=None, need_weights=False):
        if kv is None:
            kv = x
        q = self._split_heads(self.q_proj(x))
        k = self._split_heads(self.k_proj(kv))
        v = self._split_heads(self.v_proj(kv))
        attn_logits = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(self.head_dim)
        attn_logits = self._apply_masks(attn_logits, attn_mask, key_padding_mask)
        attn = torch.softmax(attn_logits, dim=-1)
        attn = torch.nan_to_num(attn, nan=0.0)
        y = self.out_proj(self._merge_heads(torch.matmul(self.dropout(attn), v)))
        return y, attn.mean(dim=1) if need_weights else None
