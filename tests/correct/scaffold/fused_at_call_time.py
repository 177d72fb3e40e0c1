"""The named layers' weights joined at call time: one product for q, k, v in self-attention, two in cross-attention."""

import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn.functional import linear


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
            raise ValueError("embed_dim must be divisible by num_heads")
        self.num_heads, self.embed_dim = cfg.num_heads, cfg.embed_dim
        self.q_proj = nn.Linear(cfg.embed_dim, cfg.embed_dim, bias=cfg.bias)
        self.k_proj = nn.Linear(cfg.embed_dim, cfg.embed_dim, bias=cfg.bias)
        self.v_proj = nn.Linear(cfg.embed_dim, cfg.embed_dim, bias=cfg.bias)
        self.out_proj = nn.Linear(cfg.embed_dim, cfg.embed_dim, bias=cfg.bias)
        self.dropout = nn.Dropout(cfg.dropout_p)

    @staticmethod
    def _fused(x: Tensor, *layers: nn.Linear) -> tuple[Tensor, ...]:
        weight = torch.cat([layer.weight for layer in layers])
        bias = None if layers[0].bias is None else torch.cat([layer.bias for layer in layers])
        return linear(x, weight, bias).chunk(len(layers), dim=-1)

    def _project(self, x: Tensor, kv: Tensor | None) -> tuple[Tensor, ...]:
        if kv is None:
            return self._fused(x, self.q_proj, self.k_proj, self.v_proj)
        return self.q_proj(x), *self._fused(kv, self.k_proj, self.v_proj)

    def _split_heads(self, x: Tensor) -> Tensor:
        return x.unflatten(-1, (self.num_heads, -1)).transpose(-3, -2)

    def _merge_heads(self, x: Tensor) -> Tensor:
        return x.transpose(-3, -2).flatten(-2)

    def _apply_masks(self, attn_logits: Tensor, attn_mask: Tensor | None, key_padding_mask: Tensor | None) -> Tensor:
        hidden = []
        if attn_mask is not None and attn_mask.dtype == torch.bool:
            hidden.append(~attn_mask)
        elif attn_mask is not None:
            hidden.append(attn_mask == -math.inf)
            attn_logits = attn_logits + attn_mask.nan_to_num(neginf=0.0)
        if key_padding_mask is not None:
            hidden.append(~key_padding_mask[:, None, None, :])
        for each in hidden:
            attn_logits = attn_logits.masked_fill(each, -math.inf)
        return attn_logits

    def forward(self, x, kv=None, *, attn_mask=None, key_padding_mask=None, need_weights=False):
        q, k, v = map(self._split_heads, self._project(x, kv))
        logits = self._apply_masks(q @ k.mT / math.sqrt(q.size(-1)), attn_mask, key_padding_mask)
        weights = logits.softmax(dim=-1).masked_fill(logits.isneginf(), 0.0)
        dropped = self.dropout(weights)
        return self.out_proj(self._merge_heads(dropped @ v)), dropped.mean(dim=1) if need_weights else None
