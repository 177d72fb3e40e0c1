"""Several files that were handed in together, in a folder or in a zip file."""

import hashlib
import os
import stat
from abc import ABC, abstractmethod
from bisect import bisect_left
from collections.abc import Iterable
from functools import cached_property
from itertools import islice, takewhile
from pathlib import Path, PurePosixPath

from grader.records import GraderError
from grader.submission.paths import NOTEBOOK_LIMIT, unreadable

LEFT_OUT = ("__pycache__", "__MACOSX", "site-packages", "node_modules", "submission_metadata.yml")
"""Names of what is nobody's work: what Python, macOS, installers and Gradescope write."""
ENVIRONMENTS = ("pyvenv.cfg", "conda-meta/history")
"""What lies at the top of Python's virtual environments and of conda's."""
INSTALLED = ("bin", "include", "lib", "lib64", "share", "Scripts", "Lib", "Include")
"""The folders that such an environment is made of; others beside these may hold work, as after `python -m venv .`."""


class Tree(ABC):
    """Files in a folder or zip file, by their paths below it.

    Attributes:
        path: the path of the folder or zip file.
        names: the paths below it of all files that are somebody's work (`leave_out_environments`), with `/` between
            folders, sorted.
        folders: the paths below it of all folders that are listed, each with a `/` at its end; a zip file need not list
            any.
    """

    path: Path
    names: list[str]
    folders: list[str]

    @cached_property
    def there(self) -> frozenset[str]:
        """The names as a set, in which one is found quickly among thousands."""
        return frozenset(self.names)

    def below(self, folder: str) -> list[str]:
        """The names of the files below a folder (empty, or with a `/` at its end), relative to it."""
        rest = islice(self.names, bisect_left(self.names, folder), None)
        return [name.removeprefix(folder) for name in takewhile(lambda name: name.startswith(folder), rest)]

    @abstractmethod
    def data(self, name: str, limit: int) -> bytes:
        """The bytes of a file.

        Raises:
            GraderError: it is larger than the limit, or cannot be read.
        """

    def digest(self, name: str) -> str | None:
        """The SHA-256 of a file; None: it cannot be read, or is larger than any file of a kit.

        Windows' line ends count as the kit's own: on Windows, Git writes all files with them.
        """
        try:
            return hashlib.sha256(self.data(name, NOTEBOOK_LIMIT).replace(b"\r\n", b"\n")).hexdigest()
        except GraderError:
            return None

    def is_mark(self, name: str) -> bool:
        """Whether a file is an empty `__init__.py`, which only marks its folder as a package."""
        return PurePosixPath(name).name == "__init__.py" and self.digest(name) == hashlib.sha256().hexdigest()


class Folder(Tree):
    """The files below a folder; links, and folders that cannot be listed, are there by name and are not followed.

    Raises:
        GraderError: the folder itself cannot be listed.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.names, self.folders = [], []
        left = [""]
        while left:  # not os.walk, which recurses: folders may lie deeper in one another than Python's stack
            below = left.pop()
            try:
                entries = _entries(path / below)
            except OSError as error:
                if not below:
                    raise unreadable(path, error) from error
                self.names.append(below.removesuffix("/"))  # it is there by name, as a link is
                continue
            self.folders += [below] if below else []
            for entry in entries:
                if visible(entry.name) and entry.is_dir(follow_symlinks=False):
                    left.append(f"{below}{entry.name}/")
                elif visible(entry.name):
                    self.names.append(below + entry.name)
        self.names = sorted(leave_out_environments(self.names))

    def data(self, name: str, limit: int) -> bytes:
        path = self.path / name
        try:
            status = path.lstat()
            if not stat.S_ISREG(status.st_mode) or status.st_size > limit:
                raise GraderError(f"{path} is not a regular file of at most {limit} bytes: put the file itself there.")
            return path.read_bytes()
        except OSError as error:
            raise GraderError(f"{path} cannot be read ({error.strerror}): check its permissions.") from error


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    with os.scandir(folder) as entries:
        return list(entries)


def visible(name: str) -> bool:
    """Whether a path is neither hidden (`.venv`, `.ipynb_checkpoints`) nor left there by a program (`LEFT_OUT`)."""
    return not any(part.startswith(".") or part in LEFT_OUT for part in PurePosixPath(name).parts)


def leave_out_environments(names: Iterable[str]) -> list[str]:
    """The names that are visible, without those in the folders of a virtual environment."""
    seen = [name for name in names if visible(name)]
    tops = {name.removesuffix(mark) for name in seen for mark in ENVIRONMENTS if f"/{name}".endswith(f"/{mark}")}
    installed = {f"{top}{part}/" for top in tops for part in INSTALLED}
    return [name for name in seen if not installed or installed.isdisjoint(above(name))]


def above(name: str) -> list[str]:
    """The folders that a path lies in, from the outermost: `a/b/c` lies in ``, `a/` and `a/b/`."""
    return ["", *(name[: place + 1] for place, sign in enumerate(name) if sign == "/")]
