"""Hands in source whose coding line names a codec that makes other source of it."""

from pathlib import Path

REFUSED = "cannot be decoded"


def make(folder: Path, code: str) -> Path:
    path = folder / "candidate.py"
    path.write_bytes(b"# coding: rot13\n" + code.encode())
    return path
