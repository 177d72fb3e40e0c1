"""Hands in a notebook whose metadata nests so deeply that a parser which recurses does not survive."""

from pathlib import Path

REFUSED = "nests too deeply"


def make(folder: Path, code: str) -> Path:
    path = folder / "candidate.ipynb"
    path.write_text('{"cells": [], "nbformat": 4, "metadata": ' + "[" * 100_000 + "]" * 100_000 + "}")
    return path
