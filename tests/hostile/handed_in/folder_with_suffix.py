"""Hands in a folder that is named like a file."""

from pathlib import Path

REFUSED = "is a folder"


def make(folder: Path, code: str) -> Path:
    path = folder / "candidate.py"
    path.mkdir()
    return path
