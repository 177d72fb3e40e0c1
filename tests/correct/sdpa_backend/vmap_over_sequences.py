"""torch.vmap over the sequences, a fused input projection when called, weights asked of SDPA with one-hot values."""

import torch
from torch import nn
from torch.nn import functional as fn


def one(q, k, v, seen, p):
    """A sequence's heads (H, L, D)."""
    return fn.scaled_dot_product_attention(q, k, v, attn_mask=seen, dropout_p=p)


class FlashMultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.0, bias=True):
        super().__init__()
        assert d_model % num_heads == 0
        self.sizes, self.p = (d_model, num_heads), dropout
        self.W_Q = self.layer(d_model, bias)
        self.W_K = self.layer(d_model, bias)
        self.W_V = self.layer(d_model, bias)
        self.W_O = self.layer(d_model, bias)

    @staticmethod
    def layer(size, bias):
        made = nn.Linear(size, size, bias=bias)
        nn.init.xavier_uniform_(made.weight)
        return made if made.bias is None else (nn.init.zeros_(made.bias), made)[1]

    def forward(self, query, key, value, mask=None, is_causal=False, return_attention=False):
        d_model, H = self.sizes
        N, L, S = query.shape[0], query.shape[1], key.shape[1]
        q, k, v = (
            layer(x).reshape(N, -1, H, d_model // H).transpose(1, 2)
            for layer, x in ((self.W_Q, query), (self.W_K, key), (self.W_V, value))
        )
        seen = torch.ones(N, 1, L, S, dtype=torch.bool)
        seen = seen.tril() if is_causal else seen
        seen = seen if mask is None else seen.logical_and(mask)
        p = self.p if self.training else 0.0
        mixed = torch.vmap(lambda *x: one(*x, p), randomness="different")(q, k, v, seen)
        output = self.W_O(mixed.transpose(1, 2).reshape(N, L, d_model))
        if return_attention is False:
            return output, None
        eye = torch.eye(S, dtype=v.dtype).expand(N, H, S, S)
        return output, fn.scaled_dot_product_attention(q, k, eye, attn_mask=seen)

    def extra_repr(self):
        d_model, H = self.sizes
        return f"d_model={d_model}, num_heads={H}, dropout={self.p}, bias={self.W_V.bias is not None}"
