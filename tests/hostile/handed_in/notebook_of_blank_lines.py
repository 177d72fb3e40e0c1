"""Hands in a notebook with right code and a cell of a million blank lines."""

from pathlib import Path

import nbformat.v4


def make(folder: Path, code: str) -> Path:
    path = folder / "candidate.ipynb"
    cells = [nbformat.v4.new_code_cell(source) for source in (code, "\n" * 1_000_000 + "x = 1")]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), path)
    return path
