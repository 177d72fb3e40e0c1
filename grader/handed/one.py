"""One file that was handed in: read, or the sentence that says why not."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from grader.records import GraderError, Submission
from grader.submission import among, decoded, limit_of, read
from grader.submission.deadline import Deadline
from grader.submission.kit_json import Returned
from grader.submission.tree import Folder, Tree


class Handed(NamedTuple):
    """A file that was handed in: read, or the sentence that says why not."""

    path: Path
    submission: Submission | None
    problem: str | None
    deadline: Deadline
    """Of all that is read of it; a kit has one."""
    kata: str | None = None
    """None: to be told from the submission."""
    returned: Returned | None = None
    """The kit that it came back in."""
    failure: Exception | None = None
    """What went wrong in the grader itself while it was read."""


class Asked(NamedTuple):
    """How to read it."""

    kata: str | None
    """The one that was named, if any."""
    limits: Mapping[str, int]
    """The most bytes of a file, by its suffix."""
    deadline: Deadline | None = None
    """Of the kit that it lies in; None: it has its own."""


def read_file(path: Path, asked: Asked) -> Handed:
    """What a file holds."""
    return _one(path, asked, lambda: read(path, asked.limits))


def read_member(tree: Tree, name: str, asked: Asked) -> Handed:
    """What a file of a tree holds."""
    path = tree.path / name
    if isinstance(tree, Folder):
        return read_file(path, asked)

    def reading() -> Submission:
        return decoded(path, tree.data(name, limit_of(path, asked.limits)), asked.limits, among(tree.there, name))

    return _one(path, asked, reading)


def attempt(path: Path, asked: Asked, reading: Callable[[Deadline], list[Handed]]) -> list[Handed]:
    """What was read, or why not: one bad file stops no other.

    Args:
        path: what is read.
        asked: how.
        reading: reads it; it is given the deadline that it runs in.
    """
    deadline = asked.deadline or Deadline(path)
    try:
        with deadline.runs():
            return reading(deadline)
    except Exception as error:
        return [failed(path, asked._replace(deadline=deadline), error)]


def failed(path: Path, asked: Asked, error: Exception) -> Handed:
    """What could not be read: why, or the fault of ours or of a library that reads."""
    told, deadline = isinstance(error, GraderError), asked.deadline or Deadline(path)
    return Handed(path, None, str(error) if told else None, deadline, asked.kata, failure=None if told else error)


def _one(path: Path, asked: Asked, reading: Callable[[], Submission]) -> Handed:
    return attempt(path, asked, lambda deadline: [Handed(path, reading(), None, deadline, asked.kata)])[0]
