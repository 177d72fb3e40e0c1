"""Keys after the last query are cut off before they are projected where is_causal hides them all from all queries."""

import torch
from torch import Tensor, nn
from torch.nn.functional import pad, scaled_dot_product_attention


class GlorotLinear(nn.Linear):
    def reset_parameters(self) -> None:
        nn.init.xavier_uniform_(self.weight)
        if self.bias is not None:
            nn.init.zeros_(self.bias)


class FlashMultiHeadAttention(nn.Module):
    def __init__(self, d_model: int, num_heads: int, dropout: float = 0.0, bias: bool = True) -> None:
        super().__init__()
        if num_heads * (d_model // num_heads) != d_model:
            raise ValueError(f"{d_model=} must be a multiple of {num_heads=}")
        self.W_Q = GlorotLinear(d_model, d_model, bias)
        self.W_K = GlorotLinear(d_model, d_model, bias)
        self.W_V = GlorotLinear(d_model, d_model, bias)
        self.W_O = GlorotLinear(d_model, d_model, bias)
        self.d_model, self.num_heads, self.dropout, self.bias = d_model, num_heads, dropout, bias

    def heads(self, layer: nn.Linear, x: Tensor) -> Tensor:
        return layer(x).unflatten(-1, (self.num_heads, -1)).transpose(-3, -2).contiguous()

    def forward(self, query, key, value, mask=None, is_causal=False, return_attention=False):
        L, S = query.shape[-2], key.shape[-2]
        near = min(L, S) if is_causal else S
        q = self.heads(self.W_Q, query)
        k = self.heads(self.W_K, key[:, :near])
        v = self.heads(self.W_V, value[:, :near])

        triangle = torch.ones(L, near, dtype=torch.bool).tril()
        if mask is None:
            seen = triangle if is_causal else torch.ones_like(triangle)
            hides = {"is_causal": is_causal}
        else:
            seen = mask[..., :near].bool()
            seen = seen.logical_and(triangle) if is_causal else seen
            hides = {"attn_mask": seen}
        out = scaled_dot_product_attention(q, k, v, dropout_p=self.dropout * self.training, **hides)
        out = self.W_O(out.transpose(-3, -2).flatten(-2))
        return out, pad(self.look(q, k, seen), (0, S - near)) if return_attention else None

    @staticmethod
    def look(q: Tensor, k: Tensor, seen: Tensor) -> Tensor:
        logits = q @ (k * k.shape[-1] ** -0.5).mT
        peak = logits.masked_fill(~seen, -1e30).amax(-1, keepdim=True)
        exp = torch.exp((logits - peak).masked_fill(~seen, -torch.inf))
        return exp / exp.sum(-1, keepdim=True).clamp(min=torch.finfo(exp.dtype).tiny)

    def extra_repr(self) -> str:
        return ", ".join(f"{name}={getattr(self, name)}" for name in ("d_model", "num_heads", "dropout", "bias"))
