"""Hands in right code beside calls that lie 50 deep in one another, around a long list."""

from pathlib import Path


def make(folder: Path, code: str) -> Path:
    path = folder / "candidate.py"
    path.write_text(f"{code}\n\ndef unused():\n    return {'exec(' * 50}[{'1,' * 100_000}]{')' * 50}\n")
    return path
