"""Hands in a notebook with right code and 1,000 cells that raise, each with a long message that would become a note."""

from pathlib import Path

from tests.fakes import notebook

SAYS = "and 950 more like these"


def make(folder: Path, code: str) -> Path:
    path = folder / "candidate.ipynb"
    path.write_text(notebook(code, *(f"raise ValueError('x' * 1900 + '{number}')" for number in range(1_000))))
    return path
