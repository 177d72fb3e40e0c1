"""Detects which exercises were saved, in whatever way an editor does that."""

import ast
import time
from collections.abc import Callable, Collection
from pathlib import Path

from watchfiles import watch

QUIET_MS = 10
"""A save is several changes, such as a new file and a rename: it is over once nothing has changed for this long."""
LONGEST_MS = 200
HALF_S = 0.3
"""A file that is no valid Python may be half written: it counts once it has not changed for this long."""
STEP_S = 0.02

Stamp = tuple[int, int, int] | None
"""Time, inode and size of a file, which change with each save; None: there is no file."""


def saves(folder: Path, names: Collection[str], saved: Callable[[str], None]) -> None:
    """Reports each save, until the process ends.

    The folder is watched and not the files: an editor that saves by rename puts another file into the place of the one
    that was there.

    Args:
        folder: the folder that holds the files.
        names: the names of the files.
        saved: receives the name of a file that was saved, or is gone.
    """
    known = {name: stamp(folder / name) for name in names}
    changes = watch(
        folder,
        watch_filter=lambda change, path: Path(path).name in known,
        step=QUIET_MS,
        debounce=LONGEST_MS,
        recursive=False,
        raise_interrupt=False,
    )
    for changed in changes:
        for name in {Path(path).name for _, path in changed}:
            now = wait_until_settled(folder / name)
            if now != known[name]:
                known[name] = now
                saved(name)


def stamp(path: Path) -> Stamp:
    """Return the stamp of a file."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_ino, status.st_size


def wait_until_settled(path: Path) -> Stamp:
    """Wait until a file is valid Python or has not changed for a while, and return its stamp."""
    now, since = stamp(path), time.monotonic()
    while not is_python(path) and time.monotonic() < since + HALF_S:
        time.sleep(STEP_S)
        if (later := stamp(path)) != now:
            now, since = later, time.monotonic()
    return now


def is_python(path: Path) -> bool:
    """Whether a file exists and is valid Python with at least one statement."""
    try:
        return bool(ast.parse(path.read_bytes()).body)
    except (OSError, ValueError, SyntaxError, MemoryError, RecursionError):
        return False
