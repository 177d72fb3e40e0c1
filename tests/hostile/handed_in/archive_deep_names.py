"""Hands in a zip file of 9,000 files below a hundred folders each, whose names are those that a kit is known by."""

import zipfile
from pathlib import Path

CODE = "wrong"


def make(folder: Path, code: str) -> Path:
    path = folder / "candidate.zip"
    with zipfile.ZipFile(path, "w") as packed:
        for number in range(9_000):
            packed.writestr(f"{number}{'/pristine/exercises/grader/notebooks' * 25}/kit.json", "")
        packed.writestr("candidate.py", code)
    return path
