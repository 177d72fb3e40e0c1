"""Hands in a notebook with right code and half a character, which JSON can spell and the wire refuses."""

import json
from pathlib import Path


def make(folder: Path, code: str) -> Path:
    sources = (code, 'x = "\ud800"')
    cells = [
        {"cell_type": "code", "source": source, "metadata": {}, "outputs": [], "execution_count": None}
        for source in sources
    ]
    path = folder / "candidate.ipynb"
    path.write_text(json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}))
    return path
