"""Hands in right code beside a class of 1,500 methods and 1,500 classes, each of which inherits from the one before."""

from pathlib import Path


def make(folder: Path, code: str) -> Path:
    path = folder / "candidate.py"
    methods = "".join(f"    def m{number}(self): pass\n" for number in range(1500))
    heirs = "".join(f"class C{number + 1}(C{number}): pass\n" for number in range(1500))
    path.write_text(f"{code}\n\nclass C0:\n{methods}" + heirs)
    return path
