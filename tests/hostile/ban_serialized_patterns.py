"""Walks the attention that torch's compiler keeps as a tree of operators, to find such code, and computes each node."""

BESIDE = ""
HONEST = 0
WALL = "policy"
VERDICTS = ("error",)
SAYS = "NameError"

import torch
from torch._inductor.fx_passes.serialized_patterns._sfdp_pattern_5 import _sfdp_pattern_5_inference
from torch._inductor.pattern_matcher import Ignored, KeywordArg

LAYOUT = ("aten.view", "aten.expand", "aten.clone")


def computed(node, given):
    if isinstance(node, KeywordArg):
        return given[node.name]
    if isinstance(node, Ignored):
        return [-1]
    if not hasattr(node, "fns"):
        return node
    function, values = node.fns[0], [computed(each, given) for each in node.args]
    if str(function).startswith(LAYOUT):
        return values[0]
    if str(function).startswith("aten.permute"):
        return values[0].mT
    return (torch.matmul if "bmm" in str(function) else function)(*values)


def scaled_dot_product_attention(q, k, v, mask=None):
    added = torch.zeros(()) if mask is None else torch.zeros(mask.shape).masked_fill(mask.bool(), -1e30)
    given = {"query": q, "key": k.to(q), "attn_mask": added.to(q), "inv_scale": q.shape[-1] ** 0.5}

    def attend(x):
        return computed(_sfdp_pattern_5_inference, given | {"value": x.to(q)})

    return attend(v), attend(torch.eye(k.shape[-2]).expand(*k.shape[:-1], -1))
