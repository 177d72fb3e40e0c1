"""Hands in right code beside a chain of attributes that is longer than Python's own stack."""

from pathlib import Path


def make(folder: Path, code: str) -> Path:
    path = folder / "candidate.py"
    path.write_text(f"{code}\n\nif False:\n    x = a{'.b' * 1500}\n")
    return path
