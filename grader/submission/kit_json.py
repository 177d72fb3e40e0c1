"""`kit.json`: what a kit is for, and what its files were when it was given."""

import hashlib
import json
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from grader.records import GraderError, Submission
from grader.submission.tree import Tree

NAME = "kit.json"
FORMAT = 1
LIMIT = 1 << 20
"""Bytes that are read of one."""


@dataclass(frozen=True, slots=True)
class Kit:
    """The manifest of one kit."""

    kata: str
    public_points: int
    """What the checks in the kit are worth."""
    all_points: int
    code: dict[str, str]
    """By path, the files in which the candidate writes, the first one first: the digest of their pristine code."""
    files: dict[str, str]
    """By path, the SHA-256 of every file but this one."""


class Returned(NamedTuple):
    """A kit that came back."""

    kit: Kit
    tree: Tree
    base: str
    """Where in the tree it lies: empty, or a folder with a `/` at its end."""


def dumps(kit: Kit) -> str:
    """The manifest as text."""
    return json.dumps({"format": FORMAT, **asdict(kit)}, indent=2) + "\n"


def loads(data: bytes, name: str) -> Kit:
    """The manifest in a file.

    Args:
        data: the file's bytes.
        name: under which errors speak of it.

    Raises:
        GraderError: it is none, or one of another format.
    """
    try:
        found: Any = json.loads(data)
        version = found.pop("format")
        kit = Kit(**found) if version == FORMAT else None
    except (ValueError, TypeError, AttributeError, KeyError, RecursionError):
        kit, version = None, FORMAT
    repair = "hand in the file that was written alone."
    if version != FORMAT:
        raise GraderError(f"{name} is of format {version!r:.20}, and format {FORMAT} is read here: {repair}")
    if kit is None or not _sound(kit):
        raise GraderError(f"{name} is no manifest of a kit, or was damaged: {repair}")
    return kit


def code_of(submission: Submission) -> str:
    """A digest of a submission's code, whatever its outputs, empty cells and spaces at the ends of lines are."""
    cells = ["\n".join(line.rstrip() for line in cell.source.splitlines()).strip() for cell in submission.cells]
    return hashlib.sha256("\0".join(filter(None, cells)).encode("utf-8", "surrogatepass")).hexdigest()


def _sound(kit: Kit) -> bool:
    points = isinstance(kit.public_points, int) and isinstance(kit.all_points, int)
    return points and isinstance(kit.kata, str) and _texts(kit.files) and _texts(kit.code) and len(kit.code) > 0


def _texts(table: object) -> bool:
    return isinstance(table, dict) and all(isinstance(text, str) for pair in table.items() for text in pair)
