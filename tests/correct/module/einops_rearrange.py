"""einops.rearrange splits and merges the heads; einops.einsum with named axes makes scores and mixture."""

from einops import einsum, rearrange
from torch import finfo, nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.0, bias=True):
        super().__init__()
        if d_model % num_heads:
            raise ValueError("num_heads must divide d_model")
        self.d_model, self.num_heads = d_model, num_heads
        self.W_Q, self.W_K, self.W_V, self.W_O = [nn.Linear(d_model, d_model, bias=bias) for _ in range(4)]
        self.dropout = nn.Dropout(dropout)
        for name, parameter in self.named_parameters():
            nn.init.xavier_uniform_(parameter) if name.endswith("weight") else nn.init.zeros_(parameter)

    def _split_heads(self, x):
        return rearrange(x, "b n (h d) -> b h n d", h=self.num_heads)

    def _combine_heads(self, x):
        return rearrange(x, "b h n d -> b n (h d)")

    def _scaled_dot_product_attention(self, Q, K, V, mask=None):
        scores = einsum(Q, K, "b h l d, b h s d -> b h l s") * Q.shape[-1] ** -0.5
        if mask is not None:
            scores = scores.masked_fill(mask == 0, finfo(scores.dtype).min)
        weights = scores.softmax(dim=-1)
        return einsum(self.dropout(weights), V, "b h l s, b h s d -> b h l d"), weights

    def forward(self, query, key, value, mask=None, return_attention=True):
        parts = (self._split_heads(x) for x in (self.W_Q(query), self.W_K(key), self.W_V(value)))
        mixed, weights = self._scaled_dot_product_attention(*parts, mask)
        return self.dropout(self.W_O(self._combine_heads(mixed))), weights if return_attention else None

    def extra_repr(self):
        bias = self.W_Q.bias is not None
        return f"d_model={self.d_model}, num_heads={self.num_heads}, dropout={self.dropout.p}, bias={bias}"
