"""Hands in right code beside a class of 1,500 methods and 1,500 classes that inherit them."""

from pathlib import Path


def make(folder: Path, code: str) -> Path:
    path = folder / "candidate.py"
    methods = "".join(f"    def m{number}(self): pass\n" for number in range(1500))
    path.write_text(f"{code}\n\nclass A:\n{methods}" + "".join(f"class C{number}(A): pass\n" for number in range(1500)))
    return path
