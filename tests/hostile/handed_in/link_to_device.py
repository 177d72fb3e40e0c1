"""Hands in a symbolic link to /dev/zero, which has no end."""

from pathlib import Path

REFUSED = "symbolic link"


def make(folder: Path, code: str) -> Path:
    path = folder / "candidate.py"
    path.symlink_to("/dev/zero")
    return path
