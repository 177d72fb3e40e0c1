"""Hands in a notebook whose magics and shell lines would write a file where they are run."""

import json
from pathlib import Path

CODE = "wrong"

MAGICS = """!touch ran
%run ran.py
%load_ext forged
files = !touch ran
"""
CELLS = (
    "%%bash\ntouch ran\n",
    "%%writefile ran\nwas here\n",
    "%%script sh\ntouch ran\n",
    "%%python\nopen('ran', 'w')\n",
)


def make(folder: Path, code: str) -> Path:
    sources = [code, MAGICS, *CELLS]
    cells = [{"cell_type": "code", "source": source, "metadata": {}, "outputs": []} for source in sources]
    path = folder / "candidate.ipynb"
    path.write_text(json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}))
    return path
