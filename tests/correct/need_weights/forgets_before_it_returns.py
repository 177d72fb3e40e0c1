"""An online softmax; the weights are an attribute while the call runs, and None afterwards."""

import torch
from torch import Tensor, nn


class MultiHeadAttention(nn.Module):
    def __init__(
        self, d_model: int, num_heads: int, dropout: float = 0.0, bias: bool = True, block_size: int = 4
    ) -> None:
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError(f"d_model ({d_model}) must be divisible by num_heads ({num_heads})")
        self.d_model, self.num_heads, self.block_size = d_model, num_heads, block_size
        self.W_Q = nn.Linear(d_model, d_model, bias=bias)
        self.W_K = nn.Linear(d_model, d_model, bias=bias)
        self.W_V = nn.Linear(d_model, d_model, bias=bias)
        self.W_O = nn.Linear(d_model, d_model, bias=bias)
        for layer in (self.W_Q, self.W_K, self.W_V, self.W_O):
            nn.init.xavier_uniform_(layer.weight)
            if layer.bias is not None:
                nn.init.zeros_(layer.bias)
        self.dropout = nn.Dropout(dropout)

    def _split_heads(self, x: Tensor) -> Tensor:
        return x.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)

    def _combine_heads(self, x: Tensor) -> Tensor:
        return x.transpose(1, 2).flatten(-2)

    def _scaled_dot_product_attention(self, Q, K, V, mask=None):
        Q = Q * Q.size(-1) ** -0.5
        if mask is not None:
            mask = mask.expand(*mask.shape[:-1], K.size(2))
        top = torch.full_like(Q[..., :1], torch.finfo(Q.dtype).min)
        total, acc, kept = torch.zeros_like(top), torch.zeros_like(Q), []
        for start in range(0, K.size(2), self.block_size):
            block = slice(start, start + self.block_size)
            scores = Q @ K[:, :, block].transpose(2, 3)
            if mask is not None:
                scores = scores.masked_fill(mask[..., block] == 0, -torch.inf)
            new_top = torch.maximum(top, scores.amax(dim=-1, keepdim=True))
            fade, e = torch.exp(top - new_top), torch.exp(scores - new_top)
            total = fade * total + e.sum(dim=-1, keepdim=True)
            # Dropout leaves the denominator alone.
            acc = fade * acc + self.dropout(e) @ V[:, :, block]
            kept = [fade * old for old in kept] + [e]
            top = new_top
        total = torch.where(total == 0, 1.0, total)
        return acc / total, torch.cat(kept, dim=-1) / total

    def forward(self, query, key, value, mask=None, need_weights=True):
        Q, K, V = map(self._split_heads, (self.W_Q(query), self.W_K(key), self.W_V(value)))
        output, self.weights = self._scaled_dot_product_attention(Q, K, V, mask)
        output = self.dropout(self.W_O(self._combine_heads(output)))
        weights, self.weights = self.weights, None
        return output, (weights if need_weights else None)

    def extra_repr(self) -> str:
        bias = self.W_O.bias is not None
        return f"d_model={self.d_model}, num_heads={self.num_heads}, dropout={self.dropout.p}, bias={bias}"
