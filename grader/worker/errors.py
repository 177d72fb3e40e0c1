"""What a submission raised, as plain JSON: its type, its message, and the candidate's own frames."""

from __future__ import annotations

import linecache
from collections.abc import Mapping
from types import TracebackType
from typing import Any, NamedTuple

MESSAGE_CHARACTERS = 2000
FRAMES = 20


class Origin(NamedTuple):
    """Where a piece of the submission comes from."""

    file: str
    cell: int | None


def clean(text: str, limit: int = MESSAGE_CHARACTERS) -> str:
    """Text that can be sent: cut to the limit, lone surrogates replaced."""
    return str.__str__(text)[:limit].encode("utf-8", "replace").decode()


def describe(problem: BaseException, sources: Mapping[str, Origin]) -> dict[str, Any]:
    """An exception as JSON.

    Args:
        problem: what was raised, perhaps of a class that the candidate wrote.
        sources: the names under which the submission's pieces were compiled.

    Returns:
        `type`, `bases` (names of its classes, nearest first), `message`, `memory` (whether an allocation
        failed), `name` (of the missing module, name or attribute, where Python says it), `frames`
        (`file`, `cell`, `line`, `function`, `text`; the submission's only, innermost last) and `at`
        (`file`, `cell`, `line`, `offset`, `text` of a syntax error, else None).
    """
    message = _message(problem)
    missing = getattr(problem, "name", None) if isinstance(problem, (ImportError, NameError, AttributeError)) else None
    return {
        "type": clean(type(problem).__name__),
        "bases": [clean(base.__name__) for base in type(problem).__mro__[:20]],
        "message": message,
        "memory": isinstance(problem, MemoryError) or "can't allocate memory" in message,
        "name": clean(missing) if isinstance(missing, str) else None,
        "frames": _frames(problem.__traceback__, sources),
        "at": _syntax(problem, sources) if isinstance(problem, SyntaxError) else None,
    }


def _message(problem: BaseException) -> str:
    try:
        return clean(str(problem))
    except BaseException:  # a __str__ of the candidate's may raise anything, SystemExit too
        return "(its message could not be made: __str__ raised)"


def _frames(trace: TracebackType | None, sources: Mapping[str, Origin]) -> list[dict[str, Any]]:
    frames = []
    while trace is not None:
        code, line = trace.tb_frame.f_code, trace.tb_lineno
        if code.co_filename in sources:
            origin = sources[code.co_filename]
            text = linecache.getline(code.co_filename, line).strip()
            frames.append({**origin._asdict(), "line": line, "function": clean(code.co_name), "text": clean(text)})
        trace = trace.tb_next
    return frames[-FRAMES:]


def _syntax(problem: SyntaxError, sources: Mapping[str, Origin]) -> dict[str, Any]:
    origin = sources.get(problem.filename or "", Origin(clean(str(problem.filename)), None))
    text = clean(problem.text) if isinstance(problem.text, str) else None
    return {**origin._asdict(), "line": problem.lineno, "offset": problem.offset, "text": text}
