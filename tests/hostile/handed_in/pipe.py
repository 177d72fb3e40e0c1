"""Hands in a named pipe, for which a reader waits for ever."""

import os
from pathlib import Path

REFUSED = "not a regular file"


def make(folder: Path, code: str) -> Path:
    path = folder / "candidate.py"
    os.mkfifo(path)
    return path
