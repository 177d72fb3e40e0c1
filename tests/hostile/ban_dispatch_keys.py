"""Asks the dispatcher for the forbidden function by the keys of other backends, of which torch.vmap's has a kernel."""

BESIDE = ""
HONEST = 0
WALL = "policy"
VERDICTS = ("policy",)

import torch

kernel = torch.ops.aten._scaled_dot_product_attention_math.default
keys = torch._C.DispatchKeySet(torch._C.DispatchKey.FuncTorchBatched)


def scaled_dot_product_attention(q, k, v, mask=None):
    output, weights = kernel.redispatch(keys, q, k, v, None if mask is None else ~mask.bool())
    return output.nan_to_num(), weights.nan_to_num()
