"""Hands in a notebook whose cells are of types that no reader expects."""

import json
from pathlib import Path

REFUSED = "damaged notebook"


def make(folder: Path, code: str) -> Path:
    cells = [7, None, {"cell_type": ["code"], "source": {"a": 1}}, {"cell_type": "code", "source": [1, [2]]}]
    path = folder / "candidate.ipynb"
    path.write_text(json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}))
    return path
