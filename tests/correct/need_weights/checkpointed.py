"""Where no weights are wanted, checkpoint recomputes them in the backward pass: the graph never holds them."""

import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint


def attention(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None, drop: nn.Dropout) -> tuple[Tensor, Tensor]:
    logits = torch.matmul(q, k.transpose(-2, -1)).div(q.shape[-1] ** 0.5)
    if mask is not None:
        keep = mask.to(torch.bool)
        logits = torch.where(keep, logits, torch.finfo(logits.dtype).min)
        probs = torch.where(keep, logits.softmax(dim=-1), 0.0)
    else:
        probs = logits.softmax(dim=-1)
    return torch.matmul(drop(probs), v), probs


def context_only(*args) -> Tensor:
    return attention(*args)[0]


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model: int, num_heads: int, dropout: float = 0.0, bias: bool = True) -> None:
        super().__init__()
        if d_model % num_heads:
            raise ValueError(f"cannot divide {d_model} features among {num_heads} heads")
        self.hparams = {"d_model": d_model, "num_heads": num_heads, "dropout": dropout, "bias": bias}
        self.W_Q, self.W_K, self.W_V, self.W_O = (nn.Linear(d_model, d_model, bias) for _ in range(4))
        self.attn_drop = nn.Dropout(dropout)
        self.resid_drop = nn.Dropout(dropout)
        self.apply(self._init_weights)

    def _init_weights(self, module: nn.Module) -> None:
        if isinstance(module, nn.Linear):
            nn.init.xavier_uniform_(module.weight)
            if module.bias is not None:
                nn.init.zeros_(module.bias)

    def forward(self, query, key, value, mask=None, need_weights=True):
        B, H = query.size(0), self.hparams["num_heads"]
        q = self.W_Q(query).view(B, query.size(1), H, -1).transpose(1, 2)
        k = self.W_K(key).view(B, key.size(1), H, -1).transpose(1, 2)
        v = self.W_V(value).view(B, value.size(1), H, -1).transpose(1, 2)
        if need_weights:
            y, att = attention(q, k, v, mask, self.attn_drop)
        else:
            y, att = checkpoint(context_only, q, k, v, mask, self.attn_drop, use_reentrant=False), None
        y = y.transpose(1, 2).contiguous().view_as(query)
        return self.resid_drop(self.W_O(y)), att

    def extra_repr(self) -> str:
        return "d_model={d_model}, num_heads={num_heads}, dropout={dropout}, bias={bias}".format(**self.hparams)
