"""Hands in a notebook whose outputs say that all checks passed, in every form that an output has."""

import json
from pathlib import Path

CODE = "wrong"

OUTPUTS = [
    {"output_type": "stream", "name": "stdout", "text": "PASS\nscore 100 of 100\n"},
    {
        "output_type": "execute_result",
        "data": {"application/json": {"score": 100}},
        "metadata": {},
        "execution_count": 1,
    },
    {"output_type": "display_data", "data": {"text/html": "<script>alert(1)</script>"}, "metadata": {}},
    {"output_type": "no such type", "data": 7},
    "not an output",
]


def make(folder: Path, code: str) -> Path:
    cell = {"cell_type": "code", "source": code, "metadata": {}, "outputs": OUTPUTS, "execution_count": 10**30}
    path = folder / "candidate.ipynb"
    path.write_text(json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}))
    return path
