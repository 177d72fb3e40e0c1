"""Hands its own graph to the attention that torch's exporter writes out for ONNX, and computes each node at once."""

BESIDE = ""
HONEST = 0
WALL = "policy"
VERDICTS = ("policy",)

import torch
from torch.onnx._internal.torchscript_exporter import symbolic_opset14


class Value:
    """A tensor that says what the exporter asks of a value in its graph."""

    def __init__(self, tensor):
        self.tensor = tensor

    type = node = lambda self: self
    isSubtypeOf = lambda self, other: True
    mustBeNone = lambda self: False
    dim = lambda self: self.tensor.dim()


class Graph:
    def op(self, name, *values, perm_i=None, axis_i=None):
        nodes = {
            "Transpose": lambda x: x.permute(perm_i),
            "Softmax": lambda x: x.softmax(axis_i),
            "Mul": torch.mul,
            "Sqrt": torch.sqrt,
            "MatMul": torch.matmul,
            "Add": torch.add,
        }
        return Value(nodes[name](*(getattr(value, "tensor", value) for value in values)))


def scaled_dot_product_attention(q, k, v, mask=None):
    hidden = None if mask is None else torch.zeros(mask.shape).masked_fill(mask.bool(), -1e30).to(q.dtype, copy=True)
    hidden = hidden if hidden is None or q.dtype is not torch.float64 else hidden.float()
    scale = Value(torch.tensor(q.shape[-1] ** -0.5, dtype=q.dtype))

    def attend(x):
        values = (Value(each.to(q)) for each in (q, k, x))
        return symbolic_opset14.scaled_dot_product_attention(Graph(), *values, hidden, 0.0, False, scale, False).tensor

    return attend(v), attend(torch.eye(k.shape[-2]).expand(*k.shape[:-1], -1))
