"""Hands in a symbolic link to a file of the interviewer, whose first line a syntax error would show."""

from pathlib import Path

REFUSED = "symbolic link"


def make(folder: Path, code: str) -> Path:
    (folder / "elsewhere.txt").write_text("password = hunter 2\n")
    path = folder / "candidate.py"
    path.symlink_to(folder / "elsewhere.txt")
    return path
