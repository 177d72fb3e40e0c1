"""Records the operators of a call, the factors of its matrix products, and its tensors and their memory.

They are seen at PyTorch's dispatcher, the same in every run. They explain and prove nothing: a submission can switch
a dispatch mode off.
"""

from __future__ import annotations

import math
import sys
import weakref
from collections.abc import Iterator
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode, _disable_current_modes

from grader.worker.unsendable import tensor_problem

OPERANDS = {"aten::mm": (0, 1), "aten::bmm": (0, 1), "aten::addmm": (1, 2), "aten::baddbmm": (1, 2)}
"""Where the two factors stand among the arguments; linear, matmul and einsum arrive as one of these."""
MOST = 100
SENT = frozenset({"float64", "float32", "float16", "bfloat16"})
"""Dtypes that attention weights have; complex and sparse factors cannot be sent, and say nothing of weights."""


EVERYTHING = frozenset({"products", "operators"})


class Observer(TorchDispatchMode):
    """Looks at every operator of a call.

    Args:
        observed: what to record: `products`, `operators`.

    Attributes:
        products: the factors of the first `MOST` matrix products.
        operators: the names of the operators, such as `aten::bmm`.
        largest: the number of elements of the largest tensor made.
        peak: the most bytes of tensors made in the call that were alive at once.
        alive: for each storage that was made in the call, or given to it, and is alive now, by its place (`place_of`):
            its number of bytes, and the shape of the largest tensor that was seen in it.
    """

    def __init__(self, observed: frozenset[str]) -> None:
        super().__init__()
        self._observed = observed
        self.products: list[tuple[torch.Tensor, torch.Tensor]] = []
        self.operators: set[str] = set()
        self.largest = self.peak = self._bytes = 0
        self.alive: dict[int, tuple[int, tuple[int, ...]]] = {}
        self._given: set[int] = set()
        """The places (`place_of`) of tensors that existed before the call."""

    def __enter__(self) -> Observer:
        biases = sys.modules.get("torch.nn.attention.bias")
        if biases is not None:
            biases.CausalBias.__new__ = _unobserved
        return super().__enter__()

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        # The default wraps __torch_dispatch__ so that its first use imports torch._dynamo: 0.6 s in every fork.
        return False

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        if "products" in self._observed:
            self._keep_factors(func, args)
        if "operators" not in self._observed:
            return func(*args, **(kwargs or {}))
        self.operators.add(func._schema.name)
        places = map(place_of, tensors_in((args, kwargs)))
        self._given.update(place for place in places if place not in self.alive)
        made = func(*args, **(kwargs or {}))
        for tensor in tensors_in(made):
            self._count(tensor)
        return made

    def _keep_factors(self, func: Any, args: tuple[Any, ...]) -> None:
        places = OPERANDS.get(func._schema.name)
        if places is not None and len(self.products) < MOST:
            left, right = (args[place].detach() for place in places)
            if tensor_problem(left, SENT, rank=3) is None is tensor_problem(right, SENT, rank=3):
                self.products.append((left.clone(), right.clone()))

    def give(self, tensors: list[torch.Tensor]) -> None:
        """Registers the tensors that the call is given: they may count as alive afterwards, and not as made in it."""
        for tensor in tensors:
            self._given.add(place_of(tensor))
            self._watch(tensor, 0)

    def _count(self, tensor: torch.Tensor) -> None:
        self.largest = max(self.largest, tensor.numel())
        place = place_of(tensor)
        if place in self.alive:
            size, shape = self.alive[place]
            if tensor.numel() > math.prod(shape):
                self.alive[place] = size, tuple(tensor.shape)
        elif place not in self._given:
            self._watch(tensor, tensor.untyped_storage().nbytes())

    def _watch(self, tensor: torch.Tensor, counted: int) -> None:
        storage, place = tensor.untyped_storage(), place_of(tensor)
        self.alive[place] = storage.nbytes(), tuple(tensor.shape)
        self._bytes += counted
        self.peak = max(self.peak, self._bytes)
        weakref.finalize(storage, self._free, place, counted)

    def _free(self, place: int, counted: int) -> None:
        self.alive.pop(place, None)
        self._bytes -= counted


def _unobserved(cls: type[torch.Tensor], *arguments: Any) -> torch.Tensor:
    """A tensor of a subclass without a constructor of its own, which PyTorch 2.13 cannot make while a mode is on."""
    with _disable_current_modes():
        return torch.Tensor.__new__(cls, *arguments)


def place_of(tensor: torch.Tensor) -> int:
    """The address of a tensor's storage object, which is the same for all views of the storage."""
    return tensor.untyped_storage()._cdata


def tensors_in(value: Any) -> Iterator[torch.Tensor]:
    """The dense tensors in nested tuples, lists and dicts."""
    if isinstance(value, torch.Tensor):
        if value.layout is torch.strided:
            yield value
    elif isinstance(value, (tuple, list)):
        for part in value:
            yield from tensors_in(part)
    elif isinstance(value, dict):
        yield from tensors_in(list(value.values()))
