"""Reads what was handed in at a path: a file, a folder, a zip file, a kit that came back."""

import os
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import NamedTuple

from grader.records import GraderError
from grader.submission.archive import Archive, open_archive
from grader.submission.kit_json import own_kit, places
from grader.submission.kits import read_kit
from grader.submission.paths import ARCHIVES, NOTEBOOK_LIMIT, SUFFIXES, as_typed, check_kind, is_folder
from grader.submission.reading_process import ReadingProcess
from grader.submission.submitted_file import Reader, SubmittedFile
from grader.submission.tree import Folder, Tree, above

MOST_OF_ONE = 20
"""The most submissions in a zip file that lies in a stack: each may take two minutes, and others wait."""


class Stack(NamedTuple):
    """All that was found at a path."""

    files: list[SubmittedFile]
    is_stack: bool
    """Whether it is a folder or zip file of submissions, not one submission."""
    unread: Sequence[str] = ()
    """Files and folders from which no submission came: at its top, in its sections, and names that lead out of it."""


def read_path(
    path: Path, kata: str | None, limits: Mapping[str, int] = SUFFIXES, process: ReadingProcess | None = None
) -> Stack:
    """Read what is at a path; an error in one file of several is a value (`SubmittedFile.problem`), and stops no other.

    Args:
        path: a file, a folder or a zip file; `~` is expanded.
        kata: the kata that was named, if any.
        limits: the most bytes of a file, by its suffix (`grader.submission.most_bytes`).
        process: decodes the files; None: a process that is started and ended here.

    Raises:
        GraderError: nothing is there, or nothing that can be read, or no submission in it.
    """
    # Here and nowhere else: below a folder `~` is a name. Not Path.expanduser, which fails on a user that is not there.
    path = Path(os.path.expanduser(path))
    if not is_folder(path) and not path.is_file():
        check_kind(path)  # there is nothing to make a report about
    with nullcontext(process) if process else ReadingProcess() as process:
        reader = Reader(process, limits, kata)
        if is_folder(path):
            return _in_tree(Folder(path), reader)
        if path.suffix.lower() == ".zip":
            return _in_named_zip_file(path, reader)
        return Stack([reader.file(path)], is_stack=False)


def read_exercises(
    kata: str | None, katas: Sequence[str], root: Path, limits: Mapping[str, int] = SUFFIXES
) -> list[SubmittedFile]:
    """The exercises below the grader's own folder; in a kit, the files that were written, as for a returned kit.

    Args:
        kata: the kata that was named; None: all.
        katas: the names of all katas.
        root: the grader's own folder.
        limits: the same as for `read_path`.

    Raises:
        GraderError: an exercise is missing, or the kit's manifest is damaged.
    """
    with ReadingProcess() as process:
        reader = Reader(process, limits, kata)
        if own_kit(root) is not None:
            return read_kit(Folder(as_typed(root)), "", reader)
        paths = [root / "exercises" / f"{name}.py" for name in ([kata] if kata else katas)]
        missing = [path for path in paths if not path.is_file()]
        if missing:
            raise GraderError(f"{as_typed(missing[0])} does not exist: make stubs writes it.")
        return [reader.for_kata(path.stem).file(as_typed(path)) for path in paths]


def _in_named_zip_file(path: Path, reader: Reader) -> Stack:
    try:
        archive = open_archive(path)
        stack = _in_tree(archive, reader)
        if archive.outside and not stack.is_stack:
            raise GraderError(f"{path} {archive.why_outside()}")
        return stack._replace(unread=[*archive.outside, *stack.unread])
    except GraderError as error:
        return Stack([reader.problem(path, error)], is_stack=False)


def _in_zip_file(tree: Tree, name: str, reader: Reader) -> list[SubmittedFile]:
    """What is in a zip file that lies in a stack."""
    path = tree.path / name
    try:
        archive = open_archive(path) if isinstance(tree, Folder) else Archive(path, tree.data(name, NOTEBOOK_LIMIT))
        if archive.outside:  # it is one person's: a file of it that is left out would be reported nowhere
            raise GraderError(f"{path} {archive.why_outside()}")
        return _in_tree(archive, reader, within_a_stack=True).files
    except GraderError as error:
        return [reader.problem(path, error)]


def _in_tree(tree: Tree, reader: Reader, *, within_a_stack: bool = False) -> Stack:
    bases = places(tree)
    loose = [name for name in [*tree.names, *tree.folders] if not bases or bases.isdisjoint(above(name))]
    sources = [name for name in loose if name.lower().endswith((*SUFFIXES, *ARCHIVES)) and not tree.is_mark(name)]
    if within_a_stack and len(bases) + len(sources) > MOST_OF_ONE:
        raise GraderError(
            f"{tree.path} holds {len(bases) + len(sources)} submissions, and a zip file in a stack may hold "
            f"{MOST_OF_ONE}: unpack it, if they are several people's."
        )
    kits = [file for base in sorted(bases) for file in read_kit(tree, base, reader)]
    others: list[SubmittedFile] = []
    for name in sources:
        if not name.lower().endswith(".zip"):
            others.append(reader.member(tree, name))
        elif within_a_stack:
            problem = f"{tree.path / name} is a zip file inside a zip file, and is not opened: unpack {tree.path}."
            others.append(reader.problem(tree.path / name, GraderError(problem)))
        else:
            others += _in_zip_file(tree, name, reader)
    if not kits and not others:
        raise GraderError(f"{tree.path} holds no submission: put .py or .ipynb files into it.")
    files = sorted([*kits, *others], key=lambda file: file.path)
    return Stack(files, is_stack=bool(others) or len(bases) > 1, unread=_unread(tree, loose, files))


def _unread(tree: Tree, loose: Sequence[str], files: Sequence[SubmittedFile]) -> list[str]:
    """The names at the top, and in sections, from which no submission came.

    Where all lies in one folder, that is the top.
    """
    listed = [*tree.names, *tree.folders]
    top = next(folder for folder in reversed(above(min(listed))) if max(listed).startswith(folder))
    read = [file.path.relative_to(tree.path).as_posix() for file in files]
    return sorted(name for folder in (top, *_sections(top, read)) for name in _in(folder, loose) - _in(folder, read))


def _sections(top: str, read: Sequence[str]) -> list[str]:
    """The folders at the top, if they hold people's folders in their turn.

    They do where most of them hold two or more folders from which submissions came, and no submission itself. Fewer do
    not count: one person's submissions may be in two folders as well.
    """
    folders = [f"{name}/" for name in _in(top, read) if name not in read]
    several = [folder for folder in folders if len(_in(folder, read)) > 1 and not _in(folder, read) & set(read)]
    return folders if 2 * len(several) > len(folders) else []


def _in(folder: str, paths: Sequence[str]) -> set[str]:
    """The entries of a folder (empty, or with a `/` at its end) through which these paths lead."""
    below = [path.removeprefix(folder) for path in paths if path.startswith(folder) and path != folder]
    return {folder + path.partition("/")[0] for path in below}
