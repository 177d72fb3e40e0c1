"""Values of a call as the wire carries them: JSON with markers, and tensors beside it."""

import math
from collections.abc import Callable
from typing import Any

from torch import Tensor

from grader.checks.expect import Unsendable
from grader.checks.subject import Construction, Implementation, Reference, WorkerFunction


class Encoder:
    """Collects the tensors of one request; the same tensor twice is sent once and stays one object in the worker.

    Args:
        strided: tensors are to be handed over non-contiguous.
        constructed: turns an object to construct into a reference to it.
        implemented: takes note of an implementation, and gives its number.
    """

    def __init__(
        self,
        *,
        strided: bool = False,
        constructed: Callable[[Construction], Reference] | None = None,
        implemented: Callable[[Implementation], int] | None = None,
    ) -> None:
        self.tensors: list[Tensor] = []
        self._index: dict[int, int] = {}
        self._marker = "$strided" if strided else "$tensor"
        self._constructed, self._implemented = constructed, implemented

    def index(self, tensor: Tensor) -> int:
        """The tensor's place among those sent."""
        if id(tensor) not in self._index:
            self._index[id(tensor)] = len(self.tensors)
            self.tensors.append(tensor)
        return self._index[id(tensor)]

    def encode(self, value: Any) -> Any:
        """Return the value as JSON, with markers for what JSON cannot hold."""
        if isinstance(value, Tensor):
            return {self._marker: self.index(value)}
        if isinstance(value, Construction) and self._constructed:
            value = self._constructed(value)
        if isinstance(value, Reference):
            return {"$reference": [value.number, list(value.path)]}
        if isinstance(value, Implementation) and self._implemented:
            return {"$implementation": self._implementation(value, self._implemented(value))}
        if isinstance(value, WorkerFunction):
            return {"$function": [value.source, value.name]}
        if isinstance(value, tuple):
            return {"$tuple": [self.encode(part) for part in value]}
        if isinstance(value, list):
            return [self.encode(part) for part in value]
        return value

    def _implementation(self, value: Implementation, number: int) -> dict[str, Any]:
        layers = [
            [path, self.index(weight), None if bias is None else self.index(bias)]
            for path, (weight, bias) in value.layers.items()
        ]
        return {"number": number, "layers": layers, "attributes": dict(value.attributes), "training": value.training}

    def arguments(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        """The two entries of a request that hold the arguments of a call."""
        return {"args": self.encode(list(args)), "kwargs": {name: self.encode(value) for name, value in kwargs.items()}}


def decode(value: Any, tensors: list[Tensor]) -> Any:
    """The value that a reply carries."""
    if isinstance(value, list):
        return [decode(part, tensors) for part in value]
    if not isinstance(value, dict):
        return value
    ((marker, content),) = value.items()
    match marker:
        case "$tensor":
            return tensors[content]
        case "$tuple":
            return tuple(decode(part, tensors) for part in content)
        case "$dict":
            return {str(key): decode(part, tensors) for key, part in content}
        case "$float":
            return math.nan if content == "nan" else float(content)
        case _:
            return Unsendable(str(content), is_tensor=marker == "$bad_tensor")
