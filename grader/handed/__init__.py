"""What was handed in: from a path to submissions that were read. A file, a folder, a zip file, a kit that came back."""

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from grader.handed.of_kit import read_kit
from grader.handed.one import Asked, Handed, failed, read_file, read_member
from grader.records import GraderError
from grader.submission import ARCHIVES, SUFFIXES, check_kind, is_folder
from grader.submission.deadline import Deadline
from grader.submission.kit_json import own_kit, places
from grader.submission.names import shown
from grader.submission.tree import Folder, Tree, above

__all__ = ["Handed", "HandedIn", "exercises", "handed_in"]

MOST_OF_ONE = 20
"""Submissions in a zip file that lies in a folder of them: each may take two minutes, and others wait."""


class HandedIn(NamedTuple):
    """All that a path led to."""

    files: list[Handed]
    is_stack: bool
    """A folder or zip file of submissions, not one of them."""
    unread: Sequence[str] = ()
    """Names at the top of it from which no submission came."""


def handed_in(path: Path, kata: str | None, limits: Mapping[str, int] = SUFFIXES) -> HandedIn:
    """Read what is at a path.

    Args:
        path: a file, a folder or a zip file; `~` is expanded.
        kata: the one that was named, if any.
        limits: the most bytes of a file, by its suffix (`grader.submission.reading`).

    Raises:
        GraderError: nothing is there, or nothing that can be read, or no submission in it.
    """
    # Here and nowhere else: below a folder `~` is a name. Not Path.expanduser, which fails on a user that is not there.
    path, asked = Path(os.path.expanduser(path)), Asked(kata, limits)
    if is_folder(path):
        return _in_tree(path, Folder, asked)
    if not path.is_file():
        check_kind(path)  # there is nothing to make a report about
    # BEGIN HIDDEN
    if path.suffix.lower() == ".zip":
        return _in_zip_file(path, asked)
    # END HIDDEN
    return HandedIn([read_file(path, asked)], is_stack=False)


def exercises(kata: str | None, katas: Sequence[str], root: Path, limits: Mapping[str, int] = SUFFIXES) -> list[Handed]:
    """The exercises below the grader's own folder; in a kit what was written, as of one that came back.

    Raises:
        GraderError: one is missing, or the kit's manifest is damaged.
    """
    if own_kit(root) is not None:
        return read_kit(Folder(shown(root)), "", Asked(kata, limits))
    paths = [root / "exercises" / f"{name}.py" for name in ([kata] if kata else katas)]
    missing = [path for path in paths if not path.is_file()]
    if missing:
        raise GraderError(f"{shown(missing[0])} does not exist: make stubs writes it.")
    return [read_file(shown(path), Asked(path.stem, limits)) for path in paths]


# BEGIN HIDDEN
def _in_zip_file(path: Path, asked: Asked, most: int | None = None) -> HandedIn:
    from grader.submission.archive import open_archive  # its libraries are not needed for anything else

    try:
        return _in_tree(path, open_archive, asked, most)
    except Exception as error:
        return HandedIn([failed(path, asked, error)], is_stack=False)


# END HIDDEN
def _in_tree(path: Path, listed: Callable[[Path], Tree], asked: Asked, most: int | None = None) -> HandedIn:
    with Deadline(path).runs():  # its own: what is in it may be many people's
        tree = listed(path)
        bases = places(tree)
        loose = [name for name in tree.names if not bases or bases.isdisjoint(above(name))]
        sources = [name for name in loose if name.lower().endswith((*SUFFIXES, *ARCHIVES)) and not tree.is_mark(name)]
    # BEGIN HIDDEN
    if most is not None and len(bases) + len(sources) > most:
        raise GraderError(
            f"{tree.path} holds {len(bases) + len(sources)} submissions, and a zip file in a folder may hold {most}: "
            "unpack it, if they are several people's."
        )
    # END HIDDEN
    kits = [file for base in sorted(bases) for file in read_kit(tree, base, asked)]
    others: list[Handed] = []
    # BEGIN HIDDEN
    if isinstance(tree, Folder):
        zip_files = dict.fromkeys(name for name in sources if name.lower().endswith(".zip"))
        sources = [name for name in sources if name not in zip_files]
        others += [file for name in zip_files for file in _in_zip_file(tree.path / name, asked, MOST_OF_ONE).files]
    # END HIDDEN
    others += [read_member(tree, name, asked) for name in sources]
    if not kits and not others:
        raise GraderError(f"{tree.path} holds no submission: put .py or .ipynb files into it.")
    files = sorted([*kits, *others], key=lambda file: file.path)
    read_from = {part for file in files for part in file.path.relative_to(tree.path).parts[:1]}
    unread = sorted({name.split("/")[0] for name in loose} - read_from)
    return HandedIn(files, is_stack=bool(others) or len(bases) > 1, unread=unread)
