"""A null device that needs no file: `open(os.devnull, "w")` works where no file can be opened."""

from __future__ import annotations

import builtins
import functools
import io
import os
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any


class _Text(io.StringIO):
    def write(self, text: str) -> int:
        return len(text)


class _Bytes(io.BytesIO):
    def write(self, data: Any) -> int:
        return memoryview(data).nbytes


def stand_in() -> None:
    """Replaces `open` by one that opens the null device without a file.

    It is a partial, since a function would become a method where a class has it as an attribute.
    """
    builtins.open = io.open = functools.partial(_opened, open)  # type: ignore[assignment]


def _opened(real: Callable[..., IO[Any]], file: Any, mode: str = "r", *args: Any, **kwargs: Any) -> IO[Any]:
    if isinstance(file, str | Path) and str(file) == os.devnull and isinstance(mode, str):
        return _Bytes() if "b" in mode else _Text()
    return real(file, mode, *args, **kwargs)
