"""Hands in a zip file of 64 MiB of zeros, under the name of a notebook."""

import zipfile
from pathlib import Path

REFUSED = "is a zip file or an office document: hand in the .py or .ipynb file that is in it"


def make(folder: Path, code: str) -> Path:
    path = folder / "candidate.ipynb"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("candidate.py", "w") as file:
        for _ in range(64):
            file.write(bytes(1 << 20))
    return path
