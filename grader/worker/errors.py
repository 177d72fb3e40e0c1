"""What a submission raised, as plain JSON: its type, its message, and the candidate's own frames."""

from __future__ import annotations

import linecache
from collections.abc import Collection
from types import TracebackType
from typing import Any

MESSAGE_CHARACTERS = 2000
FRAMES = 20


def clean(text: str, limit: int = MESSAGE_CHARACTERS) -> str:
    """Text that can be sent: cut to the limit, lone surrogates replaced."""
    return str.__str__(text)[:limit].encode("utf-8", "replace").decode()


def out_of_memory(problem: BaseException) -> bool:
    """Whether an allocation failed: Python's, or torch's, which raises a RuntimeError."""
    return isinstance(problem, MemoryError) or "can't allocate memory" in _message(problem)


def describe(problem: BaseException, sources: Collection[str]) -> dict[str, Any]:
    """An exception as JSON.

    Args:
        problem: what was raised, perhaps of a class that the candidate wrote.
        sources: the names under which the submission's pieces were compiled.

    Returns:
        `type`, `bases` (names of its classes, nearest first), `message`, `memory` (whether an allocation
        failed) and `frames` (`file`, `line`, `function`, `text`; the submission's only, innermost last).
    """
    message = _message(problem)
    return {
        "type": _name(type(problem)),
        "bases": [_name(base) for base in type.__dict__["__mro__"].__get__(type(problem))[:20]],
        "message": message,
        "memory": out_of_memory(problem),
        "frames": _frames(problem.__traceback__, sources),
    }


def _name(kind: type) -> str:
    """The name of a class as it was written: a metaclass may answer `__name__` with whatever it likes, or raise."""
    return clean(type.__dict__["__name__"].__get__(kind))


def _message(problem: BaseException) -> str:
    try:
        return clean(str(problem))
    except BaseException:  # a __str__ of the candidate's may raise anything, SystemExit too
        return "(its message could not be made: __str__ raised)"


def _frames(trace: TracebackType | None, sources: Collection[str]) -> list[dict[str, Any]]:
    frames = []
    while trace is not None:
        code, line = trace.tb_frame.f_code, trace.tb_lineno
        file = code.co_filename
        if file in sources:
            text = linecache.getline(file, line).strip()
            frames.append({"file": file, "line": line, "function": clean(code.co_name), "text": clean(text)})
        trace = trace.tb_next
    return frames[-FRAMES:]
