"""Implementations that a candidate's function is given: modules with real layers, whose forward the judge computes.

Where the memory of an implementation is measured, it is a function made in this process from its source.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

PARTS = ("weight", "bias")
Ask = Callable[[dict[str, Any], list[torch.Tensor]], tuple[dict[str, Any], list[torch.Tensor]]]
"""Sends a question to the judge and waits for the answer."""


def function(source: str, name: str) -> Any:
    """The function of that name, made in this process from its source, so that its memory can be measured."""
    defined: dict[str, Any] = {}
    exec(source, defined)
    return defined[name]


def implementation(
    description: dict[str, Any], tensors: Sequence[torch.Tensor], call: Callable[[int, dict[str, Any], Any, Any], Any]
) -> Any:
    """A function, or a module with real layers, each call of which is answered by the judge.

    Args:
        description: its number, its layers (path, index of the weight, index of the bias or None), its attributes and
            its mode.
        tensors: the tensors of the request, to which the indices refer.
        call: asks the judge, given the number, the parameters as they are now, arguments and keyword arguments.
    """
    number, layers = description["number"], description["layers"]
    if not layers:
        return lambda *args, **kwargs: call(number, {}, args, kwargs)

    class MultiHeadAttention(torch.nn.Module):
        """Holds the layers; the judge computes the output, with their parameters as they are at the call."""

        def forward(self, *args: Any, **kwargs: Any) -> Any:
            # By the layers' paths: one parameter may belong to two layers, or be computed at each access.
            given = {f"{path}.{name}": getattr(getattr(self, path), name) for path, *_ in layers for name in PARTS}
            return call(number, {path: tensor for path, tensor in given.items() if tensor is not None}, args, kwargs)

    module = MultiHeadAttention()
    for path, weight, bias in layers:
        rows, columns = tensors[weight].shape
        layer = torch.nn.Linear(columns, rows, bias=bias is not None, dtype=tensors[weight].dtype)
        with torch.no_grad():
            layer.weight.copy_(tensors[weight])
            if bias is not None:
                layer.bias.copy_(tensors[bias])
        module.add_module(path, layer)
    for name, value in description["attributes"].items():
        setattr(module, name, value)
    return module.train(description["training"])
