"""Hands in right code beside an import of a name with 50,000 dots, which Python writes anew at each: 2.5 GB of it."""

from pathlib import Path

REFUSED = "or 1024 MiB to read"


def make(folder: Path, code: str) -> Path:
    path = folder / "candidate.py"
    path.write_text(f"{code}\n\ntry:\n    import a{'.a' * 50_000}\nexcept ImportError:\n    pass\n")
    return path
