"""Hands in a file of 100 GB, which takes no room on the disk."""

from pathlib import Path

REFUSED = "at most 1 MiB are read"


def make(folder: Path, code: str) -> Path:
    path = folder / "candidate.py"
    with path.open("w") as file:
        file.truncate(100 << 30)
    return path
