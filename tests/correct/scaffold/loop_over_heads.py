"""A loop over heads; each has its slice of features and its own logits [B, 1, T, S]."""

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
    def __init__(self, cfg: AttentionConfig) -> None:
        super().__init__()
        if cfg.embed_dim % cfg.num_heads != 0:
            raise ValueError("embed_dim must be a multiple of num_heads")
        self.num_heads = cfg.num_heads
        self.head_dim = cfg.embed_dim // cfg.num_heads
        self.q_proj = nn.Linear(cfg.embed_dim, cfg.embed_dim, bias=cfg.bias)
        self.k_proj = nn.Linear(cfg.embed_dim, cfg.embed_dim, bias=cfg.bias)
        self.v_proj = nn.Linear(cfg.embed_dim, cfg.embed_dim, bias=cfg.bias)
        self.out_proj = nn.Linear(cfg.embed_dim, cfg.embed_dim, bias=cfg.bias)
        self.dropout = nn.Dropout(cfg.dropout_p)

    def _split_heads(self, x: Tensor) -> Tensor:
        d = self.head_dim
        return torch.stack([x[..., h * d : (h + 1) * d] for h in range(self.num_heads)], dim=1)

    def _merge_heads(self, x: Tensor) -> Tensor:
        return torch.cat([x[:, h] for h in range(self.num_heads)], dim=-1)

    def _apply_masks(self, attn_logits: Tensor, attn_mask: Tensor | None, key_padding_mask: Tensor | None) -> Tensor:
        if key_padding_mask is not None:
            B, S = key_padding_mask.shape
            attn_logits = attn_logits.masked_fill(key_padding_mask.logical_not().view(B, 1, 1, S), -math.inf)
        if attn_mask is None:
            return attn_logits
        if attn_mask.dtype == torch.bool:
            return attn_logits.masked_fill(attn_mask.logical_not(), -math.inf)
        return (attn_logits + attn_mask).masked_fill(attn_mask.isinf() & (attn_mask < 0), -math.inf)

    def forward(self, x, kv=None, *, attn_mask=None, key_padding_mask=None, need_weights=False):
        memory = x if kv is None else kv
        q = self._split_heads(self.q_proj(x))
        k = self._split_heads(self.k_proj(memory))
        v = self._split_heads(self.v_proj(memory))
        outputs, all_weights = [], []
        for h in range(self.num_heads):
            logits = torch.bmm(q[:, h], k[:, h].transpose(1, 2)) / math.sqrt(self.head_dim)
            logits = self._apply_masks(logits.unsqueeze(1), attn_mask, key_padding_mask)
            weights = logits.softmax(-1).masked_fill(logits == -math.inf, 0.0).squeeze(1)
            all_weights.append(weights)
            outputs.append(torch.bmm(self.dropout(weights), v[:, h]))
        y = self.out_proj(self._merge_heads(torch.stack(outputs, dim=1)))
        if need_weights:
            return y, sum(all_weights) / self.num_heads
        return y, None
