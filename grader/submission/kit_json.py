"""`kit.json`: what a kit is for, and what its files were when it was given."""

import hashlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

from grader.records import GraderError, Submission
from grader.submission.tree import Tree, above

NAME = "kit.json"
FORMAT = 1
LIMIT = 1 << 20
"""The most bytes of a `kit.json`."""
LONGEST = 100
"""The most characters of a kata's name."""
REPAIR = "hand in the file that was written alone."


@dataclass(frozen=True, slots=True)
class Kit:
    """The manifest of one kit."""

    kata: str
    public_points: int
    """What the checks in the kit are worth."""
    all_points: int
    code: dict[str, str]
    """By path, the digest of the pristine code of each file in which the candidate writes, the preferred file first."""
    files: dict[str, str]
    """The SHA-256 of every file but this one, by path."""


class ReturnedKit(NamedTuple):
    """A kit that came back."""

    kit: Kit
    tree: Tree
    base: str
    """Where in the tree it lies: empty, or a folder with a `/` at its end."""
    written: tuple[str, ...] = ()
    """The files in which the candidate writes whose code is not the pristine one."""


def places(tree: Tree) -> set[str]:
    """The folders of the kits, none of them inside another.

    A kit.json with neither `exercises/` nor `notebooks/` beside it is no kit's.
    """
    listed = {name.removesuffix(NAME) for name in tree.names if Path(name).name == NAME}
    bases: set[str] = set()
    for base in sorted(_parents(tree, "exercises/", "notebooks/") & listed, key=len):
        if bases.isdisjoint(above(base)):
            bases.add(base)
    return bases


def kit_at(tree: Tree, base: str) -> ReturnedKit:
    """The kit that lies at a place of a tree.

    Raises:
        GraderError: its `kit.json` cannot be read.
    """
    return ReturnedKit(loads(tree.data(base + NAME, LIMIT), str(tree.path / base / NAME)), tree, base)


def own_kit(root: Path) -> Kit | None:
    """The manifest of the kit that this grader is part of; None: it is the whole repository."""
    path = root / NAME
    return loads(path.read_bytes(), NAME) if path.is_file() else None


def dumps(kit: Kit) -> str:
    """The manifest as text."""
    return json.dumps({"format": FORMAT, **asdict(kit)}, indent=2) + "\n"


def loads(data: bytes, name: str) -> Kit:
    """The manifest in a file.

    Args:
        data: the file's bytes.
        name: the name that errors give the file.

    Raises:
        GraderError: it is no manifest, or one of another format.
    """
    try:
        fields: Any = json.loads(data)
        version = fields.pop("format")
        kit = Kit(**fields) if version == FORMAT else None
    except (ValueError, TypeError, AttributeError, KeyError, RecursionError):
        kit, version = None, FORMAT
    if version != FORMAT:
        raise GraderError(f"{name} is of format {version!r:.20}, and format {FORMAT} is read here: {REPAIR}")
    if kit is None or not _sound(kit):
        raise GraderError(f"{name} is no manifest of a kit, or was damaged: {REPAIR}")
    return kit


def code_of(submission: Submission) -> str:
    """A digest of a submission's code, without outputs, empty cells and spaces at the ends of lines."""
    cells = ["\n".join(line.rstrip() for line in cell.source.splitlines()).strip() for cell in submission.cells]
    return hashlib.sha256("\0".join(filter(None, cells)).encode("utf-8", "surrogatepass")).hexdigest()


def _parents(tree: Tree, *folders: str) -> set[str]:
    """The folders in which one of these folders lies."""
    within = (name for name in tree.names if any(folder in name for folder in folders))
    return {base for name in within for base in above(name) if name.startswith(folders, len(base))}


def _sound(kit: Kit) -> bool:
    points = isinstance(kit.public_points, int) and isinstance(kit.all_points, int)
    named = isinstance(kit.kata, str) and _is_name(kit.kata)
    return points and named and _texts(kit.files) and _texts(kit.code) and len(kit.code) > 0


def _is_name(kata: str) -> bool:
    """Whether this can be a kata's name. A report begins with it: with spaces it could look like a line of ours."""
    return kata.isidentifier() and len(kata) <= LONGEST


def _texts(table: object) -> bool:
    return isinstance(table, dict) and all(isinstance(text, str) for pair in table.items() for text in pair)
