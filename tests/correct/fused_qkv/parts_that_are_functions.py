"""Functions as parts, a method bound to the instance, a softmax with a backward of its own, weights used by heads."""

import math
import types

import torch
from torch import nn


class Softmax(torch.autograd.Function):
    @staticmethod
    def forward(x, dim):
        return torch.softmax(x, dim)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.dim = inputs[1]
        ctx.save_for_backward(output)

    @staticmethod
    def backward(ctx, gradient):
        (y,) = ctx.saved_tensors
        return y * (gradient - (gradient * y).sum(ctx.dim, keepdim=True)), None


class Part(nn.Module):
    def __init__(self, function, said):
        super().__init__()
        self.function, self.said = function, said

    def forward(self, *given):
        return self.function(*given)

    def extra_repr(self):
        return self.said


class EfficientMultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.0):
        if d_model % num_heads:
            raise ValueError(f"{d_model % num_heads=}")
        super().__init__()
        self.qkv_proj = nn.Linear(d_model, 3 * d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.dropout = nn.Dropout(dropout) if dropout else nn.Identity()
        self.parts = nn.ModuleDict(
            {
                "split": Part(lambda x: x.unflatten(-1, (3, num_heads, -1)).permute(2, 0, 3, 1, 4), "3 b h l d"),
                "hide": Part(lambda s, mask: s if mask is None else s.masked_fill(torch.eq(mask, 0), -1e30), "mask"),
            }
        )
        self.attend = types.MethodType(attend, self)

    def forward(self, x, mask=None):
        return self.attend(x, mask)


def attend(self, x, mask):
    q, k, v = self.parts["split"](self.qkv_proj(x))
    scores = self.parts["hide"](q @ k.mT / math.sqrt(q.size(-1)), mask)
    weights = Softmax.apply(scores, -1)
    by_heads = self.out_proj.weight.unflatten(1, (q.size(1), -1))
    return torch.einsum("bhld,ehd->ble", self.dropout(weights) @ v, by_heads) + self.out_proj.bias, weights
