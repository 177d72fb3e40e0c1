"""What the operators of a call were: the factors of its matrix products, its tensors and their memory.

Seen at the dispatcher, the same in every run. It explains, it does not prove: a submission can switch a mode off.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from grader.worker.naming import tensor_problem

OPERANDS = {"aten::mm": (0, 1), "aten::bmm": (0, 1), "aten::addmm": (1, 2), "aten::baddbmm": (1, 2)}
"""Where the two factors stand among the arguments; linear, matmul and einsum arrive as one of these."""
MOST = 100
SENT = frozenset({"float64", "float32", "float16", "bfloat16"})
"""Dtypes of weights; complex and sparse factors cannot be sent, and say nothing of them."""


EVERYTHING = frozenset({"products", "operators"})


class Observer(TorchDispatchMode):
    """Looks at every operator of a call.

    Args:
        observed: `products`, `operators`.

    Attributes:
        products: the factors of the first matrix products.
        operators: names, such as `aten::bmm`.
        largest: elements of the largest tensor made.
        peak: the most bytes of tensors made in the call that were alive at once.
        alive: bytes of tensors made in the call that are alive now.
    """

    def __init__(self, observed: frozenset[str]) -> None:
        super().__init__()
        self._observed = observed
        self.products: list[tuple[torch.Tensor, torch.Tensor]] = []
        self.operators: set[str] = set()
        self.largest = self.peak = self.alive = 0
        self.made: set[int] = set()
        """Of tensors made in the call and alive, by where their bytes lie."""
        self._given: set[int] = set()
        """Of tensors that were there before."""

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
        self._given |= {place_of(tensor) for tensor in tensors_in((args, kwargs))} - self.made
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

    def _count(self, tensor: torch.Tensor) -> None:
        self.largest = max(self.largest, tensor.numel())
        place = place_of(tensor)
        if place in self.made or place in self._given:
            return
        storage = tensor.untyped_storage()
        size = storage.nbytes()
        self.made.add(place)
        self.alive += size
        self.peak = max(self.peak, self.alive)
        weakref.finalize(storage, self._free, place, size)

    def _free(self, place: int, size: int) -> None:
        self.made.discard(place)
        self.alive -= size


def place_of(tensor: torch.Tensor) -> int:
    """Where the bytes of a tensor's storage lie, whatever views of it there are."""
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
