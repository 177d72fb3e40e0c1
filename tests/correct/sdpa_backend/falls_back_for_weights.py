"""Two paths: written out where the weights are wanted, with their dropout; otherwise SDPA in its plain kernel."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.attention import SDPBackend, sdpa_kernel


class FlashMultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.0, bias=True):
        super().__init__()
        if d_model % num_heads != 0:
            raise ValueError("d_model % num_heads != 0")
        self.config = {"d_model": d_model, "num_heads": num_heads, "dropout": dropout, "bias": bias}
        self.W_Q = nn.Linear(d_model, d_model, bias=bias)
        self.W_K = nn.Linear(d_model, d_model, bias=bias)
        self.W_V = nn.Linear(d_model, d_model, bias=bias)
        self.W_O = nn.Linear(d_model, d_model, bias=bias)
        self.apply(self._start)

    @staticmethod
    def _start(module):
        if isinstance(module, nn.Linear):
            nn.init.xavier_uniform_(module.weight)
            if module.bias is not None:
                nn.init.zeros_(module.bias)

    def forward(self, query, key, value, mask=None, is_causal=False, return_attention=False):
        heads = self.config["num_heads"]
        q = self.W_Q(query).unflatten(-1, (heads, -1)).movedim(2, 1)
        k = self.W_K(key).unflatten(-1, (heads, -1)).movedim(2, 1)
        v = self.W_V(value).unflatten(-1, (heads, -1)).movedim(2, 1)
        bias = None
        if mask is not None or is_causal:
            bias = q.new_zeros(1, 1, q.size(2), k.size(2))
            if is_causal:
                bias = bias.masked_fill(torch.ones_like(bias).tril() == 0, -1e9)
            if mask is not None:
                bias = torch.where(mask == 0, -1e9, bias)
        attend = self._written_out if return_attention else self._fused
        attended, weights = attend(q, k, v, bias)
        return self.W_O(attended.movedim(1, 2).flatten(-2)), weights

    def _fused(self, q, k, v, bias):
        p = self.config["dropout"] if self.training else 0.0
        with sdpa_kernel(SDPBackend.MATH):
            return F.scaled_dot_product_attention(q, k, v, bias, p), None

    def _written_out(self, q, k, v, bias):
        scores = q @ k.transpose(-1, -2) / q.size(-1) ** 0.5
        weights = F.softmax(scores if bias is None else scores + bias, dim=-1)
        weights = F.dropout(weights, self.config["dropout"], self.training)
        return weights @ v, weights

    def extra_repr(self):
        return ", ".join(f"{name}={value}" for name, value in self.config.items())
