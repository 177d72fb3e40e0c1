"""Uses the forbidden function by other names: getattr, torch.ops, torch._C and a name of its own."""

BESIDE = ""
HONEST = 0
WALL = "policy"
VERDICTS = ("policy",)

import torch
import torch.nn.functional as F

ways = [
    getattr(F, "scaled_dot_" + "product_attention"),
    torch._C._nn.scaled_dot_product_attention,
    torch.ops.aten.scaled_dot_product_attention.default,
]
calls = []


def scaled_dot_product_attention(q, k, v, mask=None):
    calls.append(1)
    allow = None if mask is None else ~mask.bool()
    eye = torch.eye(k.shape[-2]).to(q).expand(*k.shape[:-1], -1)
    way = ways[len(calls) % 3]
    return way(q, k, v, allow), way(q, k, eye, allow)
