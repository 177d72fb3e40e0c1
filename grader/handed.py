"""What was handed in: from a path to submissions that were read. A file, a folder, a zip file, a kit that came back."""

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from grader.records import GraderError, Submission
from grader.submission import ARCHIVES, SUFFIXES, among, check_kind, decoded, is_folder, limit_of, read
from grader.submission.deadline import Deadline
from grader.submission.kit_json import Returned, code_of, kit_at, own_kit, places
from grader.submission.names import shown
from grader.submission.tree import Folder, Tree, above
from grader.submission.written import is_answer, is_rewritten, names_asked

MOST_OF_ONE = 20
"""Submissions in a zip file that lies in a folder of them: each may take two minutes, and others wait."""


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
        GraderError: nothing is there, or no submission in it.
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
    return HandedIn([_read(path, asked)], is_stack=False)


def exercises(kata: str | None, katas: Sequence[str], root: Path, limits: Mapping[str, int] = SUFFIXES) -> list[Handed]:
    """The exercises below the grader's own folder; in a kit what was written, as of one that came back.

    Raises:
        GraderError: one is missing, or the kit's manifest is damaged.
    """
    if own_kit(root) is not None:
        return _kit(Folder(shown(root)), "", Asked(kata, limits))
    paths = [root / "exercises" / f"{name}.py" for name in ([kata] if kata else katas)]
    missing = [path for path in paths if not path.is_file()]
    if missing:
        raise GraderError(f"{shown(missing[0])} does not exist: make stubs writes it.")
    return [_read(shown(path), Asked(path.stem, limits)) for path in paths]


def _read(path: Path, asked: Asked) -> Handed:
    return _attempt(path, asked, lambda: [Handed(path, read(path, asked.limits), None, Deadline(path), asked.kata)])[0]


def _attempt(path: Path, asked: Asked, reading: Callable[[], list[Handed]]) -> list[Handed]:
    """What was read, or why not: one bad file stops no other."""
    deadline = Deadline(path)
    try:
        with deadline.runs():
            return [file._replace(deadline=deadline) for file in reading()]
    except Exception as error:
        return [_unread(path, asked, error)]


def _unread(path: Path, asked: Asked, error: Exception) -> Handed:
    """What could not be read: why, or the fault of ours or of a library that reads."""
    told = isinstance(error, GraderError)
    return Handed(path, None, str(error) if told else None, Deadline(path), asked.kata, failure=None if told else error)


# BEGIN HIDDEN
def _in_zip_file(path: Path, asked: Asked, most: int | None = None) -> HandedIn:
    from grader.submission.archive import open_archive  # its libraries are not needed for anything else

    try:
        return _in_tree(path, open_archive, asked, most)
    except Exception as error:
        return HandedIn([_unread(path, asked, error)], is_stack=False)


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
    kits = [file for base in sorted(bases) for file in _kit(tree, base, asked)]
    others: list[Handed] = []
    # BEGIN HIDDEN
    if isinstance(tree, Folder):
        zip_files = dict.fromkeys(name for name in sources if name.lower().endswith(".zip"))
        sources = [name for name in sources if name not in zip_files]
        others += [file for name in zip_files for file in _in_zip_file(tree.path / name, asked, MOST_OF_ONE).files]
    # END HIDDEN
    others += [_member(tree, name, asked) for name in sources]
    if not kits and not others:
        raise GraderError(f"{tree.path} holds no submission: put .py or .ipynb files into it.")
    files = sorted([*kits, *others], key=lambda file: file.path)
    read_from = {part for file in files for part in file.path.relative_to(tree.path).parts[:1]}
    unread = sorted({name.split("/")[0] for name in loose} - read_from)
    return HandedIn(files, is_stack=bool(others) or len(bases) > 1, unread=unread)


def _kit(tree: Tree, base: str, asked: Asked) -> list[Handed]:
    """What was written in a kit: by the first of three rules that finds something."""

    def reading() -> list[Handed]:
        kit = kit_at(tree, base)
        return _rewritten(kit, asked) or _added_answer(kit, asked) or _touched_or_first(kit, asked)

    return _attempt(tree.path / base, asked, reading)


def _rewritten(returned: Returned, asked: Asked) -> list[Handed]:
    """Of the files to write in, all that define otherwise than the stub what the kata asks for."""
    stub = _stub(returned)
    if stub is None:
        return []
    files = _touched(returned, asked)
    return [file for file in files if file.submission is None or is_rewritten(file.submission, stub)]


def _added_answer(returned: Returned, asked: Asked) -> list[Handed]:
    """The file that was added and defines what the kata asks for.

    Raises:
        GraderError: there are several.
    """
    stub = _stub(returned)
    if stub is None:
        return []
    files = {name: _of_kit(returned, name, asked) for name in _added(returned)}
    answers = {name: file for name, file in files.items() if file.submission and is_answer(file.submission, stub)}
    if len(answers) > 1:
        raise GraderError(
            f"{returned.tree.path / returned.base}: nothing was written in {', '.join(returned.kit.code)}, and several "
            f"other files define {', '.join(names_asked(stub))}: {', '.join(answers)}. Hand in one of them alone."
        )
    return list(answers.values())


def _touched_or_first(returned: Returned, asked: Asked) -> list[Handed]:
    """The files to write in whose code is not the pristine one; where there is none, the first that is there.

    Raises:
        GraderError: none is there.
    """
    there = _to_write(returned)
    if not there:
        place, names = returned.tree.path / returned.base, ", ".join(returned.kit.code)
        raise GraderError(f"{place} is a kit and holds none of {names}: put one of them back.")
    # Without a manifest the notebook's own code is not known, and each would look touched.
    touched = [] if returned.problem else _touched(returned, asked)
    return touched or [_of_kit(returned, there[0], asked)]


def _touched(returned: Returned, asked: Asked) -> list[Handed]:
    kit, tree, base, _ = returned
    changed = [name for name in _to_write(returned) if tree.digest(base + name) != kit.files.get(name)]
    files = {name: _of_kit(returned, name, asked) for name in changed}
    return [file for name, file in files.items() if not file.submission or code_of(file.submission) != kit.code[name]]


def _to_write(returned: Returned) -> list[str]:
    """The files in which the candidate writes, of those that came back."""
    return [name for name in returned.kit.code if returned.base + name in returned.tree.there]


def _stub(returned: Returned) -> Submission | None:
    """The kit's pristine stub; None: it is missing or was changed."""
    kit, tree, base, _ = returned
    name = f"pristine/{kit.kata}.py"
    if base + name not in tree.there or tree.digest(base + name) != kit.files.get(name):
        return None
    return _member(tree, base + name, Asked(None, SUFFIXES)).submission


def _added(returned: Returned) -> list[str]:
    """The sources in a kit that are none of its own."""
    names = [name for name in returned.tree.below(returned.base) if name not in returned.kit.files]
    return [name for name in names if Path(name).suffix.lower() in SUFFIXES]


def _of_kit(returned: Returned, name: str, asked: Asked) -> Handed:
    of_kit = asked._replace(kata=asked.kata or returned.kit.kata)
    return _member(returned.tree, returned.base + name, of_kit)._replace(returned=returned)


def _member(tree: Tree, name: str, asked: Asked) -> Handed:
    path = tree.path / name
    if isinstance(tree, Folder):
        return _read(path, asked)

    def reading() -> list[Handed]:
        data = tree.data(name, limit_of(path, asked.limits))
        submission = decoded(path, data, asked.limits, among(tree.there, name))
        return [Handed(path, submission, None, Deadline(path), asked.kata)]

    return _attempt(path, asked, reading)[0]
