"""One bool mask for everything, weights by a softmax of -inf with the NaN taken out, nn.Dropout for its p."""

import torch
from torch import nn
from torch.nn.functional import scaled_dot_product_attention as sdpa


class FlashMultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.0, bias=True):
        super().__init__()
        assert d_model % num_heads == 0, "d_model must be divisible by num_heads"
        self.d_model, self.num_heads, self.d_k = d_model, num_heads, d_model // num_heads
        self.W_Q, self.W_K, self.W_V, self.W_O = (nn.Linear(d_model, d_model, bias) for _ in range(4))
        self.drop = nn.Dropout(dropout)
        for name, parameter in self.named_parameters():
            if name.endswith("weight"):
                nn.init.xavier_uniform_(parameter)
            else:
                nn.init.constant_(parameter, 0.0)

    def forward(self, query, key, value, mask=None, is_causal=False, return_attention=False):
        B, L, E = query.shape
        S = key.size(1)
        q = self.W_Q(query).view(B, L, self.num_heads, self.d_k).transpose(1, 2)
        k = self.W_K(key).view(B, S, self.num_heads, self.d_k).transpose(1, 2)
        v = self.W_V(value).view(B, S, self.num_heads, self.d_k).transpose(1, 2)
        see = torch.ones(B, 1, L, S, dtype=torch.bool, device=query.device)
        if mask is not None:
            see = see & mask.bool()
        if is_causal:
            see = see & (torch.arange(S) <= torch.arange(L)[:, None])
        out = sdpa(q, k, v, see, self.drop.p if self.training else 0.0)
        out = self.W_O(out.transpose(1, 2).contiguous().view(B, L, E))
        if not return_attention:
            return out, None
        scores = torch.einsum("bhld,bhsd->bhls", q, k) * self.d_k**-0.5
        fully_masked = ~see.any(-1, keepdim=True)
        weights = scores.masked_fill(~see & ~fully_masked, float("-inf")).softmax(-1)
        return out, weights.masked_fill(fully_masked, 0.0)

    def extra_repr(self):
        bias = self.W_Q.bias is not None
        return f"d_model={self.d_model}, num_heads={self.num_heads}, dropout={self.drop.p}, bias={bias}"
