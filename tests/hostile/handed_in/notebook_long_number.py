"""Hands in a notebook that holds a number of 5,000 digits, which Python's reader of JSON refuses in its own way."""

from pathlib import Path

REFUSED = "a number too long to read"


def make(folder: Path, code: str) -> Path:
    path = folder / "candidate.ipynb"
    path.write_text('{"cells": [], "nbformat": 4, "metadata": {}, "nbformat_minor": ' + "9" * 5_000 + "}")
    return path
