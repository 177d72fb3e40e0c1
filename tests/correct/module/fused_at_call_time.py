"""One batched product projects the padded streams with weights stacked at call time; float64 inside."""

import torch
from torch import Tensor, nn
from torch.nn.functional import pad


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model: int, num_heads: int, dropout: float = 0.0, bias: bool = True) -> None:
        super().__init__()
        quotient, rest = divmod(d_model, num_heads)
        if rest:
            raise ValueError(f"{d_model} = {quotient} * {num_heads} + {rest}")
        self.d_model, self.num_heads, self.use_bias = d_model, num_heads, bias
        self.W_Q = nn.Linear(d_model, d_model, bias=bias)
        self.W_K = nn.Linear(d_model, d_model, bias=bias)
        self.W_V = nn.Linear(d_model, d_model, bias=bias)
        self.W_O = nn.Linear(d_model, d_model, bias=bias)
        for layer in self.children():
            nn.init.xavier_uniform_(layer.weight)
            if bias:
                nn.init.zeros_(layer.bias)
        self.dropout = nn.Dropout(dropout)

    def _project(self, streams: tuple[Tensor, Tensor, Tensor]) -> Tensor:
        layers = (self.W_Q, self.W_K, self.W_V)
        longest = max(x.size(1) for x in streams)
        x = torch.stack([pad(x, (0, 0, 0, longest - x.size(1))) for x in streams])  # [3, B, T, E]
        y = torch.einsum("pbte,poe->pbto", x.double(), torch.stack([w.weight for w in layers]).double())
        if self.use_bias:
            y = y + torch.stack([w.bias for w in layers]).double()[:, None, None]
        return y.unflatten(-1, (self.num_heads, -1)).transpose(2, 3)

    def forward(self, query, key, value, mask=None, return_attention=True):
        L, S, dtype = query.size(1), key.size(1), query.dtype
        q, k, v = self._project((query, key, value))
        q, k, v = q[:, :, :L], k[:, :, :S], v[:, :, :S]
        root = q.size(-1) ** 0.25
        scores = (q / root) @ (k / root).mT
        if mask is not None:
            scores = scores.masked_fill(mask == 0, -1e9)
        weights = scores.softmax(dim=-1)
        merged = (self.dropout(weights) @ v).transpose(1, 2).flatten(2).to(dtype)
        return self.dropout(self.W_O(merged)), weights.to(dtype) if return_attention else None

    def extra_repr(self) -> str:
        return f"d_model={self.d_model}, num_heads={self.num_heads}, dropout={self.dropout.p}, bias={self.use_bias}"
