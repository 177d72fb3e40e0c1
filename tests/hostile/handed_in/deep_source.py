"""Hands in source that nests so deeply that a parser which recurses does not survive."""

from pathlib import Path

REFUSED = "nest"


def make(folder: Path, code: str) -> Path:
    path = folder / "candidate.py"
    path.write_text("x = " + "(" * 100_000 + ")" * 100_000 + "\n")
    return path
