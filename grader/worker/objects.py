"""Parameters of an object that a submission constructed, nn.Module or not: their paths, values and dtype."""

from __future__ import annotations

import copy
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from types import MemberDescriptorType
from typing import Any

import torch
from torch.nn.parameter import UninitializedParameter, is_lazy

from grader.worker.namespace import NAME
from grader.worker.observe import place_of

DEPTH = 4
NOTHING = object()
REGISTRIES = ("_parameters", "_buffers", "_modules")
"""The dicts in which an nn.Module keeps what is read as its attributes."""
INDEXED = (list, tuple, deque)
OWN = (NAME, "types")
"""`__module__` of a submission's classes; `types` for a SimpleNamespace, and for a class made by a call."""


def parameters(instance: Any) -> list[tuple[str, torch.Tensor]]:
    """The parameters with their dotted paths, in the order of definition.

    For an object that is not an nn.Module, these are the floating-point tensors, parameters of modules included, among
    its attributes, in Python's containers there, and in the submission's own objects.
    """
    if isinstance(instance, torch.nn.Module):
        return list(instance.named_parameters())
    return [(path, tensor) for path, tensor in _walk(instance, "", 0) if tensor.is_floating_point()]


def tensors(value: Any) -> Iterator[torch.Tensor]:
    """The tensors that a value is or holds: in containers and in objects of the submission's own classes."""
    seen: set[int] = set()
    left = [value]
    while left:
        item = left.pop()
        if id(item) in seen:
            continue
        seen.add(id(item))
        if isinstance(item, torch.Tensor):
            yield item
        else:
            left += [part for _, part in _children(item, 0 if type(item).__module__ in OWN else 1)]


def path_to(place: int, roots: Sequence[Any]) -> str:
    """The shortest path to a tensor with this storage, or to an array that shares it; empty where there is none.

    Args:
        place: the storage, as `place_of` gives it.
        roots: the objects at which the paths begin.
    """
    seen: set[int] = set()
    left = deque[tuple[str, Any]](("", root) for root in roots)
    while left:
        path, item = left.popleft()
        if id(item) in seen:
            continue
        seen.add(id(item))
        held = item.base if type(item).__module__ == "numpy" and hasattr(item, "base") else item
        if not isinstance(held, torch.Tensor):
            parts = _children(item, 0 if type(item).__module__ in OWN else 1)
            left += [(path if name in REGISTRIES else f"{path}.{name}".lstrip("."), part) for name, part in parts]
        elif held.layout is torch.strided and place_of(held) == place:
            return path
    return ""


def _walk(value: Any, path: str, depth: int) -> Iterator[tuple[str, torch.Tensor]]:
    if isinstance(value, torch.Tensor):
        yield path, value
    elif isinstance(value, torch.nn.Module):
        for name, tensor in value.named_parameters():
            yield f"{path}.{name}".lstrip("."), tensor
    elif depth < DEPTH:
        for name, item in _children(value, depth):
            yield from _walk(item, f"{path}.{name}".lstrip("."), depth + 1)


def _children(value: Any, depth: int) -> list[tuple[str, Any]]:
    children = []
    if isinstance(value, (*INDEXED, set, frozenset)):
        children = [(str(index), item) for index, item in enumerate(value)]
    elif isinstance(value, Mapping):
        children = [(str(key), item) for key, item in value.items()]
    # An object of the submission's own class may be a container as well. The object itself counts as one of these,
    # whatever module its class names.
    if depth == 0 or type(value).__module__ in OWN:
        children += [(name, getattr(value, name)) for name in _slots(type(value)) if hasattr(value, name)]
        children += getattr(value, "__dict__", {}).items()
    return children


def _slots(kind: type) -> list[str]:
    """The names in `__slots__` of a class and its bases; a private one as Python mangles it."""
    entries = [(name, entry) for base in reversed(kind.__mro__) for name, entry in vars(base).items()]
    return list(dict.fromkeys(name for name, entry in entries if isinstance(entry, MemberDescriptorType)))


def resolve(instance: Any, path: str) -> Any:
    """What a dotted path leads to, through attributes, list indices and dict keys.

    Raises:
        LookupError: nothing is there.
    """
    value = instance
    for part in path.split("."):
        if isinstance(value, torch.nn.Module) and (inner := getattr(value, part, NOTHING)) is not NOTHING:
            value = inner  # the usual case, at a tenth of the cost of asking whether it is a mapping
        elif isinstance(value, Mapping) and part in value:
            value = value[part]
        elif isinstance(value, INDEXED) and part.isdigit() and int(part) < len(value):
            value = value[int(part)]
        elif (inner := getattr(value, part, NOTHING)) is not NOTHING:
            value = inner
        else:
            raise LookupError(path)
    return value


def at(instance: Any, paths: Sequence[str]) -> list[tuple[str, torch.Tensor]]:
    """The tensors at these paths; where there is none, the path is left out."""
    by_path = []
    for path in paths:
        with suppress(LookupError):
            by_path.append((path, resolve(instance, path)))
    return [(path, tensor) for path, tensor in by_path if isinstance(tensor, torch.Tensor)]


def source(tensor: torch.Tensor) -> torch.Tensor:
    """The parameter that a tensor is a view of, even one made anew at each access; else the tensor itself."""
    base = None if tensor.is_leaf else tensor._base
    return base if base is not None and base.is_leaf else tensor


def by_known_paths(instance: Any, paths: Sequence[str]) -> list[tuple[str, torch.Tensor]]:
    """Every parameter once, by one of these paths where one leads to it, else by the path that it is registered by.

    What one of these paths leads to is taken, whatever is registered by that path. A parameter that is cut into views
    at these paths is listed as these views. Parameters of lazy layers are left out: they have no shape before the first
    call.
    """
    known = dict(at(instance, paths))
    tensors = []
    for path, tensor in ((path, tensor) for path, tensor in parameters(instance) if not is_lazy(tensor)):
        parts = [(name, part) for name, part in known.items() if source(part) is tensor]
        whole = sum(part.numel() for _, part in parts) == tensor.numel()
        tensors += parts if whole else [(path, known.get(path, tensor))]
    return tensors


def convert(instance: Any, dtype: torch.dtype) -> None:
    """Gives every parameter, buffer and floating tensor of the object this dtype."""
    if isinstance(instance, torch.nn.Module):
        instance.to(dtype)
        return
    for _, tensor in parameters(instance):
        if tensor.is_leaf:  # in place: it may be kept under several names, and by a key that no path can spell
            tensor.data = tensor.data.to(dtype)
    for module in _held(instance, 0):
        module.to(dtype)


def _held(value: Any, depth: int) -> Iterator[torch.nn.Module]:
    for _, item in _children(value, depth):
        if isinstance(item, torch.nn.Module):
            yield item
        elif depth < DEPTH and not isinstance(item, torch.Tensor):
            yield from _held(item, depth + 1)


def copied(instance: Any) -> Any:
    """A deep copy of an object; the object itself where it holds what cannot be copied: a lock, an open file."""
    try:
        return copy.deepcopy(instance)
    except TypeError as problem:
        if not str(problem).startswith("cannot pickle"):
            raise
        return instance


def assign(instance: Any, paths: Sequence[str], values: Sequence[torch.Tensor]) -> dict[str, Any] | None:
    """Copies values into the parameters at these paths; a lazy layer takes its size from them, as from a state dict.

    Args:
        instance: the object.
        paths: paths of its parameters.
        values: one for each path, of that parameter's shape and dtype.

    Returns:
        None, or `{"type": "missing" | "shape" | "computed" | "plain", "path", "shape"}` of the first parameter
        that cannot take its value.
    """
    for path, value in zip(paths, values, strict=True):
        owner, _, name = path.rpartition(".")
        try:
            holder = resolve(instance, owner) if owner else instance
            target = resolve(holder, name)
        except LookupError:
            return {"type": "missing", "path": path, "shape": None}
        if not isinstance(target, torch.Tensor):
            return {"type": "missing", "path": path, "shape": None}
        if isinstance(target, UninitializedParameter):
            target.materialize(value.shape)
        is_registered = isinstance(holder, torch.nn.Module) and holder._parameters.get(name) is target
        if not is_registered and _is_plain(holder, name):
            return {"type": "plain", "path": path, "shape": list(target.shape)}
        if target.shape != value.shape:
            return {"type": "shape", "path": path, "shape": list(target.shape)}
        with torch.no_grad():
            target.copy_(value)
        now = target if is_registered else resolve(holder, name)
        if now is not target and not torch.equal(now, target):  # under a parametrization it is computed at each access
            return {"type": "computed", "path": path, "shape": list(target.shape)}
    return None


def _is_plain(holder: Any, name: str) -> bool:
    """Whether a module keeps a tensor under this name that is not learnt, as where a hook computes it in each call."""
    kept = vars(holder).get(name) if isinstance(holder, torch.nn.Module) else None
    return isinstance(kept, torch.Tensor) and not (source(kept).is_leaf and kept.requires_grad)
