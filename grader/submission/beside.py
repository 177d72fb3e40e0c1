"""Which modules that a submission imports lie beside it. Only told: one file is graded, and no other is read or run."""

import os
from collections.abc import Callable, Sequence, Set
from pathlib import Path, PurePosixPath

IsThere = Callable[[str], bool]
"""Whether a file is there, by its path below the submission's folder."""


def in_folder(path: Path) -> IsThere:
    """Of a file on the disk."""
    return lambda name: os.path.isfile(path.parent / name)


def look_among(together: Set[str], name: str) -> IsThere:
    """Of one of the files that were handed in together."""
    return lambda other: (PurePosixPath(name).parent / other).as_posix() in together


def find_beside(path: Path, imports: Sequence[str], is_there: IsThere) -> frozenset[str]:
    """The packages, without what follows a dot, that an import of the submission looks for and would find there.

    Args:
        path: of the submission: `from src.helper import f` in `src/mha.py` finds `helper.py` beside it.
        imports: the submission's, as `grader.submission.imports` tells them.
        is_there: looks for a file.
    """
    modules = [name.replace(":", ".").split(".") for name in imports]
    return frozenset(parts[0] for parts in modules if any(map(is_there, _files(parts, path.parent.name))))


def _files(parts: list[str], folder: str) -> list[str]:
    parts = parts[1:] if parts[0] == folder else parts
    modules = ["/".join(parts[: place + 1]) for place in range(len(parts))]
    return [file for module in modules for file in (f"{module}.py", f"{module}/__init__.py")]
