"""Hands in a notebook with attachments that name paths outside, in the cells and beside them."""

import json
from pathlib import Path

CODE = "wrong"


def make(folder: Path, code: str) -> Path:
    attached = {"../../ran": {"text/plain": "was here"}, f"{folder}/ran": {"image/png": "aGVsbG8="}}
    cells = [
        {"cell_type": "markdown", "source": "![](attachment:../../ran)", "metadata": {}, "attachments": attached},
        {"cell_type": "code", "source": code, "metadata": {}, "outputs": [], "attachments": attached},
        {"cell_type": "raw", "source": "%%bash\ntouch ran", "metadata": {}},
    ]
    path = folder / "candidate.ipynb"
    notebook = {"cells": cells, "metadata": {}, "attachments": attached, "nbformat": 4, "nbformat_minor": 5}
    path.write_text(json.dumps(notebook))
    return path
