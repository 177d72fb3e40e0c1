"""Hands in a notebook whose metadata names points, a verdict, a path as its kata and a kernel that is a command."""

import json
from pathlib import Path

CODE = "wrong"

METADATA = {
    "kata": "../../solutions/scaled_dot_product",
    "score": 100,
    "nbgrader": {"grade": True, "points": 100, "solution": False, "locked": True},
    "kernelspec": {"name": "python3", "display_name": "x", "argv": ["touch", "ran"], "language": "python"},
}


def make(folder: Path, code: str) -> Path:
    cell = {"cell_type": "code", "source": code, "metadata": METADATA, "outputs": [], "execution_count": None}
    path = folder / "candidate.ipynb"
    path.write_text(json.dumps({"cells": [cell], "metadata": METADATA, "nbformat": 4, "nbformat_minor": 5}))
    return path
