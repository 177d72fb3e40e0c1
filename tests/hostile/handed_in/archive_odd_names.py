"""Hands in a zip file behind a script, with names for Windows, with a dot, with a NUL and with letters stretched."""

import zipfile
from pathlib import Path

CODE = "wrong"


def make(folder: Path, code: str) -> Path:
    path = folder / "candidate.zip"
    path.write_bytes(b"#!/bin/sh\ntouch ran\nexit\n" * 100)
    with zipfile.ZipFile(path, "a") as packed:
        packed.writestr("./a\\b/ca\u0301ndidate.py", code)
        packed.writestr("torch.txt\0.py", "raise SystemExit")
        packed.writestr("\u0455caffold.TXT", "not read")
    return path
