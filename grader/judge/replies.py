"""What the session makes of calls and replies: words for a report, and records of what came back."""

import inspect
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from torch import Tensor

from grader.checks.expect import Misfit, Mismatch
from grader.checks.subject import CallGradients, Construction, Usage
from grader.judge.findings import raised
from grader.submission.signature import Parameter
from grader.tensor_bytes import tensor_bytes


@dataclass(frozen=True, slots=True)
class LoadedDefinition:
    """What a loaded submission defines under one name."""

    kind: str
    """`class`, `function`, `method` or `other`."""
    type: str
    """Its type's name."""
    signature: list[Parameter] | None
    """Its parameters without `self`; None: not known."""


@dataclass(frozen=True, slots=True)
class Names:
    """What a submission defines under the requested names."""

    definitions: dict[str, LoadedDefinition]
    """The definitions that are there, by name."""
    public_names: list[str]
    """All public names that it defines itself, requested or not."""
    raised: dict[str, str]
    """What was raised when a name was looked up, in words, by name."""


@dataclass(frozen=True, slots=True)
class LoadedNames:
    """The names in a submission that was loaded."""

    required: Names
    """The names of the contract."""
    own: Names
    """The public names that the submission defines itself."""


def names_of(head: dict[str, Any], file: str, memory_mib: int) -> Names:
    """Reads the worker's reply on names.

    Args:
        head: the head of the reply.
        file: name of the submission's file.
        memory_mib: the memory that was allowed, in MiB.
    """
    return Names(
        {str(name): _definition(entry) for name, entry in head["definitions"].items()},
        [str(name) for name in head["public_names"]],
        {str(name): raised(error, file, memory_mib) for name, error in head["raised"].items()},
    )


def _definition(entry: dict[str, Any]) -> LoadedDefinition:
    rows = entry["signature"]
    known = {kind.name for kind in type(inspect.Parameter.KEYWORD_ONLY)}
    if rows is not None and not {kind for _, kind, _ in rows} <= known:
        raise ValueError("a parameter of no known kind")
    signature = None if rows is None else [_parameter(*row) for row in rows]
    return LoadedDefinition(str(entry["kind"]), str(entry["type"]), signature)


def _parameter(name: Any, kind: str, default: Any) -> Parameter:
    return Parameter(str(name), kind, None if default is None else str(default))


def gradients_of(presence: dict[str, Any] | None, tensors: Iterator[Tensor]) -> CallGradients | None:
    """The gradients in the reply to a call; None: what it returned has no graph."""
    if presence is None:
        return None
    leaves = [next(tensors) if there else None for there in presence["leaves"]]
    return CallGradients(leaves, {str(path): next(tensors) for path, there in presence["parameters"] if there})


def usage_of(observed: dict[str, Any] | None) -> Usage | None:
    """The operators and the memory in the reply to a call, where they were observed."""
    if observed is None:
        return None
    counts = [int(observed[name]) for name in ("largest", "peak_bytes")]
    return Usage(frozenset(map(str, observed["operators"])), *counts)


def misfit(error: dict[str, Any], parameters: Mapping[str, Tensor]) -> Exception:
    """Why a parameter could not be set: it is missing, of another shape, or no parameter."""
    wanted = tuple(parameters[error["path"]].shape)
    got = {
        "missing": "no parameter of that name",
        "computed": "a parameter that is computed at each access, and cannot be set",
        "plain": "a tensor that is no parameter of its layer",
    }
    if error["type"] in got:
        return Mismatch(error["path"], f"a parameter of shape {wanted}", got[error["type"]])
    return Misfit(error["path"], wanted, tuple(error["shape"]))


def same_bits(was: Tensor, value: Any) -> bool:
    """Whether an answer is this tensor to the bit, so that a NaN equals itself."""
    is_alike = isinstance(value, Tensor) and (value.shape, value.dtype) == (was.shape, was.dtype)
    return is_alike and tensor_bytes(value) == tensor_bytes(was)


class Doing(NamedTuple):
    """A call that the submission is asked to make; it is put into words only where something went wrong."""

    name: str
    args: Sequence[Any]
    kwargs: Mapping[str, Any]

    def __str__(self) -> str:
        return f"{self.name}({arguments(self.args, self.kwargs)})"


def arguments(args: Sequence[Any], kwargs: Mapping[str, Any]) -> str:
    """The arguments of a call as a report shows them: a tensor by its sizes, an object by how it is made."""
    parts = [_argument(value) for value in args]
    return ", ".join(parts + [f"{name}={_argument(value)}" for name, value in kwargs.items()])


def _argument(value: Any) -> str:
    if isinstance(value, Construction):
        return f"{value.name}({arguments(value.args, value.kwargs)})"
    if isinstance(value, Tensor):
        return str(tuple(value.shape))
    return str(value) if isinstance(value, bool | int | float | str) or value is None else "..."
