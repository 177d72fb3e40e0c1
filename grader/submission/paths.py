"""Checks what lies at a path and reads its bytes: only regular files of known suffixes, each up to its limit."""

import errno
import stat
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from grader.records import GraderError
from grader.submission.suggestion import nearest

SOURCE_LIMIT = 1 << 20
"""Bytes of Python source: far above any solution, far below what makes a parser slow."""
NOTEBOOK_LIMIT = 50 << 20
"""Bytes of a notebook file, outputs and pictures included."""
REPAIRS = {
    ".py": "remove what the kata does not need",
    ".ipynb": "remove what the kata does not need and clear its outputs",
    ".zip": "leave .venv out, or name the unpacked folder",
}
"""What to do about a file that is too large."""
ARCHIVES = (".zip", ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz", ".7z", ".rar")
"""Suffixes of archives, which may hold a submission and are not read here; a .zip file is opened before."""
SUFFIXES = {".py": SOURCE_LIMIT, ".ipynb": NOTEBOOK_LIMIT}


def most_bytes(source_bytes: int) -> dict[str, int]:
    """The most bytes that are read of a file of each suffix; `source_bytes` holds for a notebook's code as well."""
    return SUFFIXES | {".py": source_bytes}


def limit_of(path: Path, limits: Mapping[str, int] = SUFFIXES) -> int:
    """The most bytes that are read of a file, by its suffix.

    Raises:
        GraderError: no submission has that suffix.
    """
    limit = limits.get(path.suffix.lower())
    if limit is None and path.name.lower().endswith(ARCHIVES):
        raise GraderError(f"{path} is an archive that is not opened: unpack it, and hand in the folder.")
    if limit is None:
        ending = f"ends in {path.suffix}" if path.suffix else "has no suffix"
        raise GraderError(f"{path} {ending}: a submission is a .py or an .ipynb file; rename or export it.")
    return limit


def is_folder(path: Path) -> bool:
    """Whether a path leads to a folder.

    Raises:
        GraderError: the path cannot be read.
    """
    try:
        return stat.S_ISDIR(path.stat().st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        if error.errno == errno.ELOOP:  # a link that leads to itself is reported as any link is
            return False
        raise unreadable(path, error) from error


def unreadable(path: Path, error: OSError) -> GraderError:
    """The error of a path that cannot be read: a folder on the way may not be entered, or a name is too long."""
    return GraderError(f"{path} cannot be read ({error.strerror}): check the path and its permissions.")


def check_kind(path: Path) -> None:
    """Check that a path leads to a regular file.

    Raises:
        GraderError: it does not, or cannot be read; the sentence says what is there.
    """
    try:
        mode = path.lstat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        raise GraderError(_missing(path)) from None
    except OSError as error:
        raise unreadable(path, error) from error
    if stat.S_ISLNK(mode):
        raise GraderError(f"{path} is a symbolic link, and may lead anywhere: hand in the file itself.")
    if stat.S_ISDIR(mode):
        raise GraderError(f"{path} is a folder: name one .py or .ipynb file in it.")
    if not stat.S_ISREG(mode):
        raise GraderError(f"{path} is not a regular file (a pipe, socket or device): save it as a file first.")


def _missing(path: Path) -> str:
    if path.parts[0].endswith(":") and len(path.parts[0]) > 2:
        return f"{path} is an address, and a file is asked for: save it here, and name it without {path.parts[0]}//."
    if not path.parent.is_dir():
        return f"{path} does not exist, and neither does its folder {path.parent}: check the path."
    names = []
    with suppress(OSError):  # a folder that may be entered and not listed
        names = [entry.name for entry in path.parent.iterdir() if entry.suffix.lower() in SUFFIXES]
    near = nearest(path.name, names)
    hint = f"did you mean {path.parent / near}?" if near else "check the path."
    return f"{path} does not exist: {hint}"


def read_bytes(path: Path, limits: Mapping[str, int]) -> bytes:
    """The bytes of a regular file; `limits` has the suffixes that are read, each with the most bytes.

    Raises:
        GraderError: no such file, not a regular file, wrong suffix, too large, not readable.
    """
    check_kind(path)
    limit = limit_of(path, limits)
    size = path.stat().st_size
    if size > limit:
        raise GraderError(
            f"{path} is {_mib(size)} large, and at most {_mib(limit)} are read: {REPAIRS[path.suffix.lower()]}."
        )
    try:
        return path.read_bytes()
    except OSError as error:
        raise GraderError(f"{path} cannot be read ({error.strerror}): check its permissions.") from error


def as_typed(path: Path) -> Path:
    """A path as a person would type it: relative to the current folder where it lies below that."""
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path


def _mib(size: int) -> str:
    return f"{size / (1 << 20):.4g} MiB"
