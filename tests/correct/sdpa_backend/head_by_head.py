"""A loop over the heads, tensors of three axes, which the plain kernel takes; weights come out of one-hot values."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class FlashMultiHeadAttention(nn.Module):
    """Each head calls the operator for itself."""

    def __init__(self, d_model, num_heads, dropout=0.0, bias=True):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError(f"{num_heads} heads do not divide {d_model}")
        self.d_model, self.num_heads, self.dropout, self.bias = d_model, num_heads, dropout, bias
        for name in ("W_Q", "W_K", "W_V", "W_O"):
            layer = nn.Linear(d_model, d_model, bias=bias)
            nn.init.xavier_uniform_(layer.weight)
            if bias:
                nn.init.zeros_(layer.bias)
            setattr(self, name, layer)

    def forward(self, query, key, value, mask=None, is_causal=False, return_attention=False):
        width = self.d_model // self.num_heads
        Q, K, V = self.W_Q(query), self.W_K(key), self.W_V(value)
        allowed = None
        if mask is not None:
            allowed = mask.ne(0).squeeze(1)
        if is_causal:
            triangle = Q.new_ones(Q.shape[1], K.shape[1]).tril().bool()
            allowed = triangle if allowed is None else allowed.logical_and(triangle)
        outputs, all_weights = [], []
        for h in range(self.num_heads):
            part = slice(h * width, (h + 1) * width)
            q, k, v = Q[..., part], K[..., part], V[..., part]
            if return_attention:
                # Values with an identity beside them: the same call, and the same dropout, spells the weights.
                eye = torch.eye(k.shape[1], dtype=v.dtype).expand(k.shape[0], -1, -1)
                v = torch.cat([v, eye], dim=-1)
            p = self.dropout if self.training else 0.0
            mixed = F.scaled_dot_product_attention(q, k, v, attn_mask=allowed, dropout_p=p)
            outputs.append(mixed[..., :width])
            all_weights.append(mixed[..., width:])
        output = self.W_O(torch.cat(outputs, dim=-1))
        return output, torch.stack(all_weights, dim=1) if return_attention else None

    def extra_repr(self):
        return f"d_model={self.d_model}, num_heads={self.num_heads}, dropout={self.dropout}, bias={self.bias}"
