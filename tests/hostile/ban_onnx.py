"""Computes by torch's own Attention of ONNX: as an operator, and as the Python function that it was made of."""

BESIDE = ""
HONEST = 0
WALL = "policy"
VERDICTS = ("policy",)

import torch
from torch.onnx.ops import _impl

function = _impl.ONNX_ATEN_DECOMP_TABLE[torch.ops.onnx.Attention.opset23]


def scaled_dot_product_attention(q, k, v, mask=None):
    lead, size = q.shape[:-2], (q.shape[-2], k.shape[-2])
    seen = torch.ones(size).bool() if mask is None else ~mask.bool()
    seen = seen.expand(*lead, *size).reshape(-1, 1, *size)
    inputs = (x.reshape(-1, 1, *x.shape[-2:]) for x in (q, k, v))
    attend = function if q.requires_grad else torch.ops.onnx.Attention.opset23
    output, _, _, weights = attend(*inputs, seen, qk_matmul_output_mode=3)
    return output.reshape(*lead, size[0], -1).nan_to_num(), weights.reshape(*lead, *size).nan_to_num()
