"""Converts arguments from JSON, and returned values to JSON; a value that cannot be sent is named instead."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from grader import wire
from grader.tensor_bytes import tensor_bytes
from grader.worker.errors import clean
from grader.worker.implementation import function
from grader.worker.unsendable import describe_unsendable, tensor_problem

DEPTH = 4
ITEMS = 10_000
TEXT_CHARACTERS = 10_000


class Arguments:
    """Turns the JSON of arguments into Python; the same tensor index gives the same tensor object.

    Args:
        tensors: the tensors that the JSON refers to by index.
        resolved: returns the object that a reference leads to, given its number and path.
        implemented: returns the function or module for the description of an implementation and the tensors.
    """

    def __init__(
        self,
        tensors: Sequence[torch.Tensor],
        resolved: Callable[[int, list[Any]], Any],
        implemented: Callable[[dict[str, Any], list[torch.Tensor]], Any],
    ) -> None:
        self.tensors = list(tensors)
        self._resolved, self._implemented = resolved, implemented

    def lay_out(self, values: Any, requires_grad: Sequence[int]) -> None:
        """Makes the `$strided` tensors non-contiguous and sets requires_grad of those named; to be called first."""
        for index in _strided(values):
            self.tensors[index] = non_contiguous(self.tensors[index])
        for index in requires_grad:
            self.tensors[index].requires_grad_()

    def write_over(self, given: Sequence[torch.Tensor]) -> None:
        """Copies its own tensors' values into the given ones and keeps those: a batch may be written over in place."""
        for mine, other in zip(self.tensors, given, strict=True):
            if tensor_bytes(mine) != tensor_bytes(other):  # a submission may have replaced torch.equal
                other.copy_(mine)
        self.tensors = list(given)

    def python(self, value: Any) -> Any:
        """One JSON value as Python: `$tensor $strided $reference $implementation $function $tuple`, or plain."""
        if isinstance(value, list):
            return [self.python(item) for item in value]
        if not isinstance(value, dict):
            return value
        match list(value.items()):
            case [("$tensor" | "$strided", index)]:
                return self.tensors[index]
            case [("$reference", [number, path])]:
                return self._resolved(number, path)
            case [("$implementation", description)]:
                return self._implemented(description, self.tensors)
            case [("$function", [source, name])]:
                return function(source, name)
            case [("$tuple", items)]:
                return tuple(self.python(item) for item in items)
        return {key: self.python(item) for key, item in value.items()}


def non_contiguous(tensor: torch.Tensor) -> torch.Tensor:
    """A leaf tensor with the same values, its storage in reverse order of axes (every second place, for one axis)."""
    if tensor.dim() >= 2:
        axes = tuple(reversed(range(tensor.dim())))
        return tensor.permute(axes).contiguous().permute(axes)
    wide = tensor.new_zeros(*tensor.shape, 2)
    wide[..., 0] = tensor
    return wide[..., 0]


def _strided(value: Any) -> set[int]:
    if isinstance(value, list):
        return set().union(*map(_strided, value))
    if not isinstance(value, dict):
        return set()
    if list(value) == ["$strided"]:
        return {value["$strided"]}
    return _strided(list(value.values()))


class Values:
    """Turns what a submission returned into JSON; tensors are numbered in the order they are met."""

    def __init__(self, limits: wire.WireLimits = wire.DEFAULT_LIMITS) -> None:
        self.plain: list[torch.Tensor] = []
        """The data of the tensors, as sent."""
        self.live: list[torch.Tensor] = []
        """The same tensors as returned, with their graph."""
        self._limits = limits
        self._bytes_left = limits.payload_bytes
        self._items_left = ITEMS
        self._text_left = TEXT_CHARACTERS

    def json(self, value: Any, depth: int = 0) -> Any:
        """One value as JSON; what cannot be sent is named by `$bad_tensor` or `$unsendable`."""
        self._items_left -= 1
        if isinstance(value, torch.Tensor):
            return self._tensor(value)
        if value is None or type(value) is bool or (type(value) is int and value.bit_length() < 64):
            return value
        if isinstance(value, float):  # numpy.float64 is one too
            value = float.__float__(value)
            return value if value - value == 0 else {"$float": repr(value)}
        if type(value) is str:
            text = clean(value, self._text_left)
            self._text_left -= len(text)
            return text
        if depth == DEPTH or self._items_left <= 0:
            return {"$unsendable": describe_unsendable(value)}
        if isinstance(value, (tuple, list)) and len(value) <= self._items_left:
            items = [self.json(item, depth + 1) for item in value]
            return {"$tuple": items} if isinstance(value, tuple) else items
        if isinstance(value, dict) and len(value) <= self._items_left:
            pairs = value.items()
            return {"$dict": [[self.json(key, depth + 1), self.json(item, depth + 1)] for key, item in pairs]}
        return {"$unsendable": describe_unsendable(value)}

    def _tensor(self, tensor: torch.Tensor) -> dict[str, Any]:
        problem = self._why_not(tensor)
        if problem is not None:
            return {"$bad_tensor": problem}
        try:
            plain = tensor.detach().as_subclass(torch.Tensor).cpu().resolve_neg().contiguous()
            plain.data_ptr()
        except Exception as reason:  # a functorch wrapper or a subclass that refuses; named, not sent
            return {"$bad_tensor": f"a tensor whose values cannot be read ({clean(str(reason), 200)})"}
        self._bytes_left -= plain.numel() * plain.element_size()
        self.plain.append(plain)
        self.live.append(tensor)
        return {"$tensor": len(self.plain) - 1}

    def _why_not(self, tensor: torch.Tensor) -> str | None:
        problem = tensor_problem(tensor, frozenset(wire.ITEM_SIZES), self._limits.rank)
        if problem is not None:
            return problem
        shape, limits = tuple(tensor.shape), self._limits
        if tensor.numel() * tensor.element_size() > self._bytes_left:
            most = f"{limits.payload_bytes >> 20} MiB"
            return f"a tensor of shape {shape}, too large to send (at most {most} in one answer)"
        if len(self.plain) >= limits.tensors:
            return f"a tensor of shape {shape}, one too many to send (at most {limits.tensors} in one answer)"
        return None
