"""Hands in right code beside a function of 100,000 parameters, which has the name that another kata asks for."""

from pathlib import Path

COUNT = 100_000


def make(folder: Path, code: str) -> Path:
    path = folder / "candidate.py"
    parameters = ", ".join(f"a{number}" for number in range(COUNT))
    path.write_text(f"{code}\n\ndef multi_head_attention({parameters}): pass\n")
    return path
