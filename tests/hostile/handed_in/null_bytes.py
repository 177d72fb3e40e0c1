"""Hands in source with a null byte, at which a program in C stops to read, as if nothing came after it."""

from pathlib import Path

REFUSED = "null byte"


def make(folder: Path, code: str) -> Path:
    path = folder / "candidate.py"
    path.write_bytes(code.encode() + b"\0\nimport os\n")
    return path
