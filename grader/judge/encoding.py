"""Values of a call as the wire carries them: JSON with markers, and tensors beside it."""

import math
from typing import Any

from torch import Tensor

from grader.checks.expect import Unsent
from grader.checks.kata import Made, Strided


class Encoder:
    """Collects the tensors of one call; the same tensor twice is sent once and stays one object in the worker."""

    def __init__(self, objects: list[int]) -> None:
        self.tensors: list[Tensor] = []
        self._objects = objects
        self._index: dict[int, int] = {}

    def index(self, tensor: Tensor) -> int:
        """The tensor's place among those sent."""
        if id(tensor) not in self._index:
            self._index[id(tensor)] = len(self.tensors)
            self.tensors.append(tensor)
        return self._index[id(tensor)]

    def encode(self, value: Any) -> Any:
        """A JSON value with markers."""
        if isinstance(value, Tensor):
            return {"$tensor": self.index(value)}
        if isinstance(value, Strided):
            return {"$strided": self.index(value.tensor)}
        if isinstance(value, Made):
            return {"$object": self._objects[value.index]}
        if isinstance(value, tuple):
            return {"$tuple": [self.encode(part) for part in value]}
        if isinstance(value, list):
            return [self.encode(part) for part in value]
        return value

    def arguments(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        """The two entries of a request that hold what is given in a call."""
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
            return Unsent(str(content), is_tensor=marker == "$bad_tensor")
