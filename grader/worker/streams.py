"""Standard output and error of a worker: UTF-8, over the pipe to the judge, whatever a submission does to them."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import TextIO

NAMES = {1: "stdout", 2: "stderr"}

_ours: dict[int, TextIO] = {}
_replaced: dict[int, TextIO | None] = {}
"""What a submission put in their place, kept: `io.TextIOWrapper(sys.stdout.buffer)` closes that buffer when freed."""


def over_pipes() -> None:
    """Makes both streams while a pipe is on their descriptors, as it is in a worker.

    Streams made over a file take themselves for seekable; `sys.stdout.reconfigure(encoding="utf-8")` then fails on the
    pipe.
    """
    reading, writing = os.pipe()
    for number, name in NAMES.items():
        kept = os.dup(number)
        os.dup2(writing, number)
        _ours[number] = _opened(number)
        setattr(sys, name, _ours[number])
        setattr(sys, f"__{name}__", _ours[number])
        os.dup2(kept, number)
        os.close(kept)
    os.close(reading)
    os.close(writing)


def put_back() -> None:
    """Puts the worker's own streams back and flushes them; one that was closed or detached is made anew."""
    for number, name in NAMES.items():
        stream = getattr(sys, name, None)
        flush(stream)  # what it still holds would never be shown: the process ends without flushing
        if stream is _ours[number] and _is_open(stream):
            continue
        _replaced[id(stream)] = stream
        if not _is_open(_ours[number]):
            _ours[number] = _opened(number)
            setattr(sys, f"__{name}__", _ours[number])
        setattr(sys, name, _ours[number])
        flush(_ours[number])


def flush(stream: TextIO | None) -> None:
    """Flushes a stream; a failure is ignored, as such a stream is the submission's own."""
    with suppress(BaseException):  # replaced or closed: it may raise anything
        stream.flush()  # type: ignore[union-attr]


def _opened(number: int) -> TextIO:
    return open(number, "w", 1, "utf-8", "backslashreplace", closefd=False)


def _is_open(stream: TextIO) -> bool:
    try:
        return not stream.closed
    except ValueError:  # detached
        return False
