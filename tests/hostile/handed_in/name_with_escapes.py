"""Hands in a file whose name clears the terminal and says that it was graded."""

from pathlib import Path

CODE = "wrong"


def make(folder: Path, code: str) -> Path:
    path = folder / "\x1b[2J\u202e100 of 100\nscore 100.py"
    path.write_text(code)
    return path
