"""Hands in a notebook that has each of its keys twice, first with right code, and numbers that are none."""

import json
from pathlib import Path

CODE = "wrong"
RIGHT = Path(__file__).parents[1] / "control_right.py"


def make(folder: Path, code: str) -> Path:
    bare = {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None}
    one, other = (
        json.dumps({"cells": [bare | {"source": source}], "nbformat": 4, "nbformat_minor": 5})
        for source in (RIGHT.read_text(), code)
    )
    path = folder / "candidate.ipynb"
    path.write_text(f'{one[:-1]}, "metadata": {{"x": NaN, "y": -Infinity, "z": 1e999}}, {other[1:]}')
    return path
