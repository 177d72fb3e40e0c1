"""Hands in right code in a file whose name is in an old encoding: Python spells it with halves of characters."""

import os
from pathlib import Path


def make(folder: Path, code: str) -> Path:
    path = folder / os.fsdecode(b"caf\xe9.py")
    path.write_text(code)
    return path
