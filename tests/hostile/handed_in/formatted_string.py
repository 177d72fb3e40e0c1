"""Hands in right code beside an f-string of 340,000 expressions, which Python's parser goes through at each of them."""

from pathlib import Path

REFUSED = "holds too much in f-strings"


def make(folder: Path, code: str) -> Path:
    path = folder / "candidate.py"
    path.write_text(f"{code}\n\nx = f'{'{q}' * 340_000}'\n")
    return path
