"""Hands in a notebook with right code and 1,000 cells that raise, each with a long message that would become a note."""

import json
from pathlib import Path

SAYS = "and 950 more like these"


def make(folder: Path, code: str) -> Path:
    sources = [code, *(f"raise ValueError('x' * 1900 + '{number}')" for number in range(1_000))]
    cells = [
        {"cell_type": "code", "source": source, "metadata": {}, "outputs": [], "execution_count": None}
        for source in sources
    ]
    path = folder / "candidate.ipynb"
    path.write_text(json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}))
    return path
