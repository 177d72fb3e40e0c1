"""What the session makes of calls and replies: words for a report, and a guard against replies of no known form."""

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from inspect import Parameter
from typing import Any

from torch import Tensor

from grader.checks.expect import Mismatch
from grader.records import Verdict
from grader.sandbox import SandboxError, WorkerLost
from grader.wire import tensor_bytes


@dataclass(frozen=True, slots=True)
class Result:
    """What one call came to."""

    number: int
    """Of the call, to ask for its gradients by."""
    value: Any
    disturbed: tuple[str, ...]
    """What the call changed of torch's global state."""
    products: tuple[tuple[Tensor, Tensor], ...] = ()
    """The factors of the matrix products, where they were asked for."""


@dataclass(frozen=True, slots=True)
class Construction:
    """What construction came to."""

    number: int | None
    """Of the last object; None: there is none."""
    initial: dict[str, Tensor]
    """Its parameters by path as the constructor left them, where they were asked for."""
    disturbed: tuple[str, ...]
    """What it changed of torch's global state."""


def of_sound_form(method: Callable[..., Any]) -> Callable[..., Any]:
    """A reply in a sound frame and of another form comes from a submission that wrote on the worker's connection."""

    @functools.wraps(method)
    def reading(self: Any, *args: Any, **kwargs: Any) -> Any:
        try:
            return method(self, *args, **kwargs)
        except (KeyError, TypeError, ValueError, IndexError, AttributeError, StopIteration, SandboxError) as error:
            self.close()
            raise WorkerLost(Verdict.CRASH, "answered in no known form and was stopped") from error

    return reading


def found_name(entry: dict[str, Any]) -> dict[str, Any]:
    """What a name stands for, as the worker told it: `kind`, `type`, and the rows of its signature or None."""
    rows = entry["signature"]
    known = {kind.name for kind in type(Parameter.KEYWORD_ONLY)}
    if rows is not None and not {kind for _, kind, _ in rows} <= known:
        raise ValueError("a parameter of no known kind")
    signature = None if rows is None else [[str(name), kind, bool(default)] for name, kind, default in rows]
    return {"kind": str(entry["kind"]), "type": str(entry["type"]), "signature": signature}


def misfit(error: dict[str, Any], parameters: dict[str, Tensor]) -> Mismatch:
    """The parameter that could not be set: it is missing, or of another shape."""
    want = f"a parameter of shape {tuple(parameters[error['path']].shape)}"
    got = "none of that name" if error["type"] == "missing" else f"shape {tuple(error['shape'])}"
    return Mismatch(error["path"], want, got)


def same_bits(was: Tensor, value: Any) -> bool:
    """Whether an answer is this tensor to the bit, so that a NaN equals itself."""
    same_form = isinstance(value, Tensor) and (value.shape, value.dtype) == (was.shape, was.dtype)
    return same_form and tensor_bytes(value) == tensor_bytes(was)


def arguments(args: Sequence[Any], kwargs: dict[str, Any]) -> str:
    """The arguments of a call as a report shows them: a tensor by its sizes."""
    parts = [_argument(value) for value in args]
    return ", ".join(parts + [f"{name}={_argument(value)}" for name, value in kwargs.items()])


def _argument(value: Any) -> str:
    value = getattr(value, "tensor", value)
    if isinstance(value, Tensor):
        return str(tuple(value.shape))
    return str(value) if isinstance(value, bool | int | float | str) or value is None else "..."
