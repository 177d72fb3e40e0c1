"""Describes a value that cannot be sent, in words by which a candidate recognizes it."""

from __future__ import annotations

import sys
import types
from typing import Any

import torch

from grader.worker.errors import clean

LATER = {
    types.GeneratorType: "a generator, as yield or (... for ... in ...) makes: it holds no values yet",
    types.CoroutineType: "a coroutine: an async function that nobody awaited",
    types.AsyncGeneratorType: "an asynchronous generator",
}
"""What objects that hold no values yet are called, by their type."""
FUNCTIONS = (types.FunctionType, types.MethodType, types.BuiltinFunctionType)


def describe_unsendable(value: Any) -> str:
    """A description in a few words, with their article: `the class torch.Tensor, not an object of it`, `a set`."""
    kind = type(value)
    if kind in LATER:
        return LATER[kind]
    if kind in FUNCTIONS:
        return clean(f"the function {value.__name__}, not what it returns", 200)
    if issubclass(kind, type):
        return f"the class {_path(value)}, not an object of it"
    if kind in (int, list, tuple, dict):
        return f"{_article(kind.__name__)} too long or too deep to send"
    if kind is complex:
        return clean(f"the complex number {value}", 200)
    array = getattr(sys.modules.get("numpy"), "ndarray", None)
    if kind is array:
        return f"a numpy.ndarray of shape {value.shape}"
    if issubclass(kind, torch.nn.Module):
        return f"a layer of the class {_path(kind)}, not what it returns"
    if kind.__module__ == "builtins":
        return _article(kind.__name__)
    return f"an object of the class {_path(kind)}"


def tensor_problem(tensor: torch.Tensor, dtypes: frozenset[str], rank: int) -> str | None:
    """Why a tensor cannot be sent, in words; None: it can.

    Args:
        tensor: what the submission returned.
        dtypes: names of the dtypes that can be sent.
        rank: the most dimensions that can be sent.
    """
    if tensor.is_nested:
        return f"a nested tensor of {tensor.size(0)} parts"
    shape, dtype = tuple(tensor.shape), str(tensor.dtype).removeprefix("torch.")
    if tensor.layout != torch.strided:
        return f"a sparse tensor of shape {shape}"
    if tensor.is_meta:
        return f"a tensor of shape {shape} on the meta device, which has no values"
    if tensor.is_quantized:
        return f"a quantized tensor of shape {shape} and dtype {dtype}"
    if dtype not in dtypes:
        return f"a tensor of shape {shape} and dtype {dtype}"
    if len(shape) > rank:
        return f"a tensor with {len(shape)} dimensions (at most {rank} can be sent)"
    return None


def _path(kind: type) -> str:
    """A class's dotted name (`torch.Tensor`), without a module for a class of the submission or of Python itself."""
    module = str(kind.__module__)
    return clean(kind.__qualname__ if module in ("builtins", "submission") else f"{module}.{kind.__qualname__}", 200)


def _article(name: str) -> str:
    return f"{'an' if name[0] in 'aeiou' else 'a'} {name}"
