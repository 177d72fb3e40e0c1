"""Hands in a notebook with attachments that name paths outside, in the cells and beside them."""

import json
from pathlib import Path

CODE = "wrong"

ATTACHED = {"../../ran": {"text/plain": "was here"}, "/tmp/ran": {"image/png": "aGVsbG8="}}


def make(folder: Path, code: str) -> Path:
    cells = [
        {"cell_type": "markdown", "source": "![](attachment:../../ran)", "metadata": {}, "attachments": ATTACHED},
        {"cell_type": "code", "source": code, "metadata": {}, "outputs": [], "attachments": ATTACHED},
        {"cell_type": "raw", "source": "%%bash\ntouch ran", "metadata": {}},
    ]
    path = folder / "candidate.ipynb"
    notebook = {"cells": cells, "metadata": {}, "attachments": ATTACHED, "nbformat": 4, "nbformat_minor": 5}
    path.write_text(json.dumps(notebook))
    return path
