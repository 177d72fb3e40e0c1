"""Hands in a number with so many signs before it that Python's parser recurses too deeply: no syntax error to it."""

from pathlib import Path

REFUSED = "is not Python source"


def make(folder: Path, code: str) -> Path:
    path = folder / "candidate.py"
    path.write_text(code + "\nx = " + "-" * 50_000 + "1\n")
    return path
