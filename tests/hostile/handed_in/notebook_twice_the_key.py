"""Hands in a notebook that has each of its keys twice, first with right code, and numbers that are none."""

import json
from pathlib import Path

CODE = "wrong"


def make(folder: Path, code: str) -> Path:
    cell = {"cell_type": "code", "source": code, "metadata": {}, "outputs": [], "execution_count": None}
    one, other = (json.dumps({"cells": cells, "nbformat": 4, "nbformat_minor": 5}) for cells in ([], [cell]))
    path = folder / "candidate.ipynb"
    path.write_text(f'{one[:-1]}, "metadata": {{"x": NaN, "y": -Infinity, "z": 1e999}}, {other[1:]}')
    return path
