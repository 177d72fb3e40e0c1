"""Hands in source with a null byte, at which a C program stops to read and Python does not."""

from pathlib import Path

REFUSED = "null byte"


def make(folder: Path, code: str) -> Path:
    path = folder / "candidate.py"
    path.write_bytes(code.encode() + b"\0\nimport os\n")
    return path
