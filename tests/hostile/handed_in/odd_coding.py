"""Hands in source whose coding line names a codec that is none for text, which is no error of decoding."""

from pathlib import Path

REFUSED = "cannot be decoded"


def make(folder: Path, code: str) -> Path:
    path = folder / "candidate.py"
    path.write_bytes(b"# coding: rot13\n" + code.encode())
    return path
