"""Hands in a notebook with right code and half a character, which JSON can spell and the wire refuses."""

from pathlib import Path

from tests.fakes import notebook


def make(folder: Path, code: str) -> Path:
    path = folder / "candidate.ipynb"
    path.write_text(notebook(code, 'x = "\ud800"'))
    return path
