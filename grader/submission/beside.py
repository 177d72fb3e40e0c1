"""Finds which modules that a submission imports lie beside it.

They are only reported: one file is graded, and no other is read or run.
"""

import os
from collections.abc import Callable, Sequence, Set
from pathlib import Path, PurePosixPath

IsThere = Callable[[str], bool]
"""Whether a file is there, by its path below the submission's folder."""


def in_folder(path: Path) -> IsThere:
    """An `IsThere` for a file on the disk."""
    return lambda name: os.path.isfile(path.parent / name)


def look_among(together: Set[str], name: str) -> IsThere:
    """An `IsThere` for one of several files that were handed in together."""
    return lambda other: (PurePosixPath(name).parent / other).as_posix() in together


def find_beside(path: Path, imports: Sequence[str], is_there: IsThere) -> frozenset[str]:
    """The top-level names (`a` of `a.b`) of modules that the submission imports and would find beside it.

    Args:
        path: the submission's path: `from src.helper import f` in `src/mha.py` finds `helper.py` beside it.
        imports: the submission's imports, as `grader.submission.imports` returns them.
        is_there: looks for a file by its path below the folder.
    """
    modules = [name.replace(":", ".").split(".") for name in imports]
    return frozenset(parts[0] for parts in modules if any(map(is_there, _files(parts, path.parent.name))))


def _files(parts: list[str], folder: str) -> list[str]:
    parts = parts[1:] if parts[0] == folder else parts
    modules = ["/".join(parts[: place + 1]) for place in range(len(parts))]
    return [file for module in modules for file in (f"{module}.py", f"{module}/__init__.py")]
