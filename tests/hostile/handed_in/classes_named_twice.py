"""Hands in right code beside classes that name one base 50,000 times, whose own base is named as often."""

from pathlib import Path

TIMES = 50_000


def make(folder: Path, code: str) -> Path:
    path = folder / "candidate.py"
    heirs = f"class B({'A, ' * TIMES}): pass\nclass MultiHeadAttention({'B, ' * TIMES}): pass\n"
    path.write_text(f"{code}\n\nclass A: pass\n{heirs}")
    return path
