"""Hands in a symbolic link to itself."""

from pathlib import Path

REFUSED = "symbolic link"


def make(folder: Path, code: str) -> Path:
    path = folder / "candidate.py"
    path.symlink_to(path)
    return path
