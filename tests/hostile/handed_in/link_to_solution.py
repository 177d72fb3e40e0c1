"""Hands in a symbolic link to our solution."""

from pathlib import Path

REFUSED = "symbolic link"


def make(folder: Path, code: str) -> Path:
    path = folder / "candidate.py"
    path.symlink_to(Path(__file__).resolve().parents[3] / "solutions" / "scaled_dot_product.py")
    return path
