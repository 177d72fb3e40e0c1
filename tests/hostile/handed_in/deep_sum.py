"""Hands in a number with so many signs before it that a walk through the syntax tree recurses too deeply."""

from pathlib import Path

REFUSED = "is not Python source"


def make(folder: Path, code: str) -> Path:
    path = folder / "candidate.py"
    path.write_text(code + "\nx = " + "-" * 50_000 + "1\n")
    return path
