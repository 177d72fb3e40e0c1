"""Hands in right code beside 1,200 branches of one `if`, each of which lies in the one before it in the syntax tree."""

from pathlib import Path


def make(folder: Path, code: str) -> Path:
    path = folder / "candidate.py"
    branches = "".join(f"elif {number} > 9999:\n    pass\n" for number in range(1200))
    path.write_text(f"{code}\n\nif False:\n    pass\n{branches}")
    return path
