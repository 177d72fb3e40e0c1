"""What a submission may not leave behind: a file, changed or new, or a process."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from stat import S_ISDIR

from grader.worker.confine import NOBODY
from tests.grading import ROOT
from tests.sandbox_tools import descendants, eventually

OWN = tuple(ROOT / name for name in ("grader", "solutions", "exercises", "notebooks", "tests"))
SHARED = tuple(Path(name) for name in {tempfile.gettempdir(), "/tmp", "/var/tmp", "/dev/shm"})  # looked at
USER = NOBODY if os.geteuid() == 0 else os.geteuid()
"""Whom a submission runs as."""


@contextmanager
def nothing_left(*folders: Path) -> Iterator[None]:
    """Asserts that what is done meanwhile leaves none in these folders, in the repository or where all users write."""
    before, shared, processes = of_all(*folders, *OWN), in_shared_folders(), descendants(os.getpid())
    yield
    assert before == of_all(*folders, *OWN)
    assert set() == in_shared_folders() - shared
    assert eventually(lambda: descendants(os.getpid()) <= processes)


def of_all(*folders: Path) -> dict[str, tuple[int, int, int]]:
    """What `files` says of each, less what Python compiled."""
    statuses = {str(folder / path): status for folder in folders for path, status in files(folder).items()}
    return {path: status for path, status in statuses.items() if "__pycache__" not in path}


def in_shared_folders() -> set[Path]:
    """What belongs to the user of a submission there; none, where that is also the user of other programs."""
    if os.geteuid() == USER:
        return set()
    return {path for folder in SHARED if folder.exists() for path in folder.iterdir() if owner(path) == USER}


def owner(path: Path) -> int | None:
    try:
        return path.lstat().st_uid
    except OSError:  # another program's, gone meanwhile
        return None


def files(folder: Path) -> dict[str, tuple[int, int, int]]:
    """Size, mode and time of change of all files below a folder; of its folders the mode: Python compiles there."""
    statuses = {}
    for path in sorted(folder.rglob("*")):
        try:
            status = path.lstat()
        except OSError:  # a file that Python was compiling, renamed meanwhile
            continue
        size, changed = (0, 0) if S_ISDIR(status.st_mode) else (status.st_size, status.st_mtime_ns)
        statuses[str(path.relative_to(folder))] = (size, status.st_mode, changed)
    return statuses
