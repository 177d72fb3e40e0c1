"""torch.where twice; a row that sees nothing is opened first and emptied afterwards."""

import torch
from torch import Tensor, nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model: int, num_heads: int, dropout: float = 0.0, bias: bool = True) -> None:
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("num_heads must divide d_model")
        self.d_model, self.num_heads, self.dropout_p, self.use_bias = d_model, num_heads, dropout, bias
        for name in ("W_Q", "W_K", "W_V", "W_O"):
            layer = nn.Linear(d_model, d_model, bias=bias)
            nn.init.xavier_uniform_(layer.weight, gain=1.0)
            if bias:
                nn.init.zeros_(layer.bias)
            self.register_module(name, layer)
        self.weight_dropout = nn.Dropout(dropout)
        self.output_dropout = nn.Dropout(dropout)

    def _split_heads(self, x: Tensor) -> Tensor:
        return torch.stack(torch.chunk(x, self.num_heads, dim=2), dim=1)

    def _combine_heads(self, x: Tensor) -> Tensor:
        return torch.cat(torch.unbind(x, dim=1), dim=2)

    def _scaled_dot_product_attention(self, Q, K, V, mask=None):
        scores = torch.einsum("bhld,bhsd->bhls", Q * Q.size(-1) ** -0.5, K)
        if mask is None:
            weights = scores.softmax(dim=-1)
        else:
            seen = mask.bool()
            some = seen.any(dim=-1, keepdim=True)
            scores = torch.where(seen | ~some, scores, -torch.inf)
            weights = torch.where(some, scores.softmax(dim=-1), 0.0)
        return torch.einsum("bhls,bhsd->bhld", self.weight_dropout(weights), V), weights

    def forward(self, query, key, value, mask=None, return_attention=True):
        parts = [self._split_heads(w(x)) for w, x in ((self.W_Q, query), (self.W_K, key), (self.W_V, value))]
        heads, weights = self._scaled_dot_product_attention(*parts, mask=mask)
        output = self.output_dropout(self.W_O(self._combine_heads(heads)))
        return output, weights if return_attention else None

    def extra_repr(self) -> str:
        return "d_model={}, num_heads={}, dropout={}, bias={}".format(  # noqa: UP032
            self.d_model, self.num_heads, self.dropout_p, self.use_bias
        )
