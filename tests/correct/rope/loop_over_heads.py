"""One head after the other, each a block of rows of the layers; queries and keys are turned there."""

import torch
import torch.nn.functional as F
from torch import nn


def rotate_half(x):
    half = x.shape[-1] // 2
    return torch.cat((-x[..., half:], x[..., :half]), dim=-1)


def apply_rope(x, positions, base=10000.0):
    size = x.size(-1)
    if size % 2 != 0:
        raise ValueError("D must be even")
    inv_freq = 1.0 / base ** (torch.arange(0, size, 2, dtype=torch.double) / size)
    freqs = positions.unsqueeze(-1) * inv_freq
    emb = torch.cat((freqs, freqs), dim=-1)
    if emb.dim() == 3:
        emb = emb.unsqueeze(1)
    return (x * emb.cos() + rotate_half(x) * emb.sin()).to(x.dtype)


class RotaryMultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, base=10000.0):
        super().__init__()
        assert d_model % (2 * num_heads) == 0
        self.num_heads, self.head_dim, self.base = num_heads, d_model // num_heads, base
        self.W_Q, self.W_K, self.W_V, self.W_O = (nn.Linear(d_model, d_model) for _ in range(4))

    def forward(self, x, mask=None, positions=None):
        if positions is None:
            positions = torch.arange(x.shape[1])
        outputs, all_weights = [], []
        for head in range(self.num_heads):
            rows = slice(head * self.head_dim, (head + 1) * self.head_dim)
            q, k, v = (F.linear(x, w.weight[rows], w.bias[rows]) for w in (self.W_Q, self.W_K, self.W_V))
            q = apply_rope(q[:, None], positions, self.base)[:, 0]
            k = apply_rope(k[:, None], positions, self.base)[:, 0]
            scores = torch.bmm(q, k.transpose(1, 2)) / self.head_dim**0.5
            if mask is not None:
                scores = torch.where(mask[:, 0] != 0, scores, torch.tensor(-1e9, dtype=scores.dtype))
            weights = torch.softmax(scores, dim=-1)
            outputs.append(weights @ v)
            all_weights.append(weights)
        return self.W_O(torch.cat(outputs, dim=-1)), torch.stack(all_weights, dim=1)
