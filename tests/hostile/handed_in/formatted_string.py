"""Hands in right code beside an f-string of 110,000 expressions, through which Python 3.11 goes at each."""

from pathlib import Path

REFUSED = "holds too much in f-strings"
BEFORE = (3, 12)
"""The version of Python whose parser does it in one go."""


def make(folder: Path, code: str) -> Path:
    path = folder / "candidate.py"
    path.write_text(f"{code}\n\nx = f'{'{quantit}' * 110_000}'\n")
    return path
