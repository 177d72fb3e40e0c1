"""Reads the submissions that a request names: the one place where the core calls functions that read them."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from grader.core.request import Request
from grader.optional import optional
from grader.records import Cell, GraderError
from grader.submission import Stack, SubmittedFile, has_names, identify, most_bytes, read_exercises, read_path, unknown
from grader.submission.kit_json import own_kit
from grader.submission.reading_process import ReadingProcess
from grader.submission.submitted_file import Reader

if TYPE_CHECKING:
    from grader.checks.kata import Kata
    from grader.records import Contract


COMPANION = re.compile(r"test_\w+\.py|\w+_test\.py|tests?\.py|conftest\.py|train\.py|setup\.py", re.IGNORECASE)
"""Usual names of files that lie beside a program, such as its tests."""
INNER_FOLDERS = {"src", "code", "scripts", "test", "tests"}
"""Names of folders inside a person's own folder."""
OF_CANVAS = re.compile(r"(?P<person>[^_]+_(?:LATE_)?\d+)_\d+_(?P<name>.+?)(?:-\d+)?(?P<suffix>\.\w+)")
"""A file's name as Canvas writes it: whose file it is, its number, its own name, and which of several tries it is."""
OF_THE_INDEX = "get_ipython().run_line_magic('progress', '')"
"""A cell that only our `notebooks/index.ipynb` has, the notebook that links to the others."""


def read(request: Request, process: ReadingProcess) -> Stack | None:
    """Return what was handed in; None where the request names nothing, which means the exercises.

    Args:
        request: says what was handed in, and how large a source may be.
        process: decodes the files.

    Raises:
        GraderError: nothing is at the path, or nothing that can be read, or no submission in it.
    """
    limits = most_bytes(request.source_bytes)
    if request.cells:
        return Stack([_cells(request, limits, process)], is_stack=False)
    return read_path(request.path, request.kata, limits, process) if request.path is not None else None


def read_the_exercises(request: Request, katas: Sequence[str], root: Path) -> Stack:
    """Return the exercises of all katas, or of the kata that the request names.

    Args:
        request: says which kata, if one was named, and how large a source may be.
        katas: the names of all katas.
        root: the repository or the kit.

    Raises:
        GraderError: an exercise is missing, or a kit's manifest is damaged.
    """
    return Stack(read_exercises(request.kata, katas, root, most_bytes(request.source_bytes)), is_stack=False)


def kata_of(file: SubmittedFile, katas: "Sequence[Kata]") -> "Kata":
    """The kata that a file is for.

    Raises:
        GraderError: it cannot be told for which of these katas the file is.
        ReadingFault: the grader itself failed as it read the file.
    """
    if file.failure:
        raise file.failure
    assert file.submission is not None  # it has no problem and no failure
    name = file.kata or identify(file.submission, [kata.contract for kata in katas])
    kata = next((kata for kata in katas if kata.name == name), None)
    if kata is None:  # the file is of a kit whose manifest was changed, or that was made from other sources
        raise GraderError(unknown("kata", name, [each.name for each in katas]))
    return kata


def without_companions(handed: Stack, katas: "Sequence[Kata]") -> tuple[Stack, tuple[str, ...]]:
    """Return a stack without its companion files, and their paths.

    A companion is no submission itself. It defines the names of no kata and lies in one folder with a file that does;
    and its name matches `COMPANION`, or it imports such a file, or it is our index of the notebooks.
    """
    if not handed.is_stack:
        return handed, ()
    contracts = {kata.name: kata.contract for kata in katas}
    answers = {file.path for file in handed.files if _answers(file, contracts.get(_kata_if_known(file, katas) or ""))}
    modules = {(_home(path), path.stem) for path in map(_as_written, answers)}
    homes = {home for home, _ in modules}

    def is_companion(file: SubmittedFile) -> bool:
        path = _as_written(file.path)
        home = _home(path)
        if file.submission is None or file.path in answers or home not in homes:
            return False
        imported = {name.partition(":")[0].partition(".")[0] for name in file.submission.imports}
        uses_an_answer = any((home, name) in modules for name in imported | file.submission.beside)
        runs_progress = any(cell.source.strip() == OF_THE_INDEX for cell in file.submission.cells)
        is_index = runs_progress and not file.submission.definitions
        return uses_an_answer or is_index or COMPANION.fullmatch(path.name) is not None

    aside = [file for file in handed.files if is_companion(file)]
    kept = [file for file in handed.files if file not in aside] if aside else handed.files
    return handed._replace(files=kept), tuple(str(file.path) for file in aside)


def _answers(file: SubmittedFile, contract: "Contract | None") -> bool:
    """Whether a file defines what a kata asks for; `test_scaffold.py` may have nothing of a kata but its name."""
    if file.kit is not None:
        return True
    return contract is not None and file.submission is not None and has_names(contract, file.submission)


def _home(path: Path) -> Path:
    """Return the folder of a file and its companions; an inner folder, such as `src` or `tests`, is skipped."""
    return path.parent.parent if path.parent.name.lower() in INNER_FOLDERS else path.parent


def _as_written(path: Path) -> Path:
    """Return a file's path as if it lay in a folder of its author; Canvas puts the files of all people into one."""
    known = OF_CANVAS.fullmatch(path.name)
    return path.parent / known["person"] / f"{known['name']}{known['suffix']}" if known else path


def katas_of(handed: Stack, katas: "Sequence[Kata]") -> "Sequence[Kata]":
    """The katas that a stack is for; all, where none can be told."""
    names = {file.kata or _kata_if_known(file, katas) for file in handed.files}
    return [kata for kata in katas if kata.name in names] or katas


def _kata_if_known(file: SubmittedFile, katas: "Sequence[Kata]") -> str | None:
    """Return the kata that a file shows by its name and source, not the one named for all; None where it shows none."""
    if file.kit is not None:
        return file.kata
    if file.submission is None:
        return None
    try:
        return identify(file.submission, [kata.contract for kata in katas])
    except GraderError:
        return None


def remarks(file: SubmittedFile, katas: "Sequence[Kata]", root: Path) -> tuple[str, ...]:
    """Return remarks on the kit that the file came back in, or that this grader is part of.

    Args:
        file: the file that was read.
        katas: all katas of this grader.
        root: the repository or the kit.
    """
    if file.kit is not None and (kit := optional("grader.kit")):  # which is slow to import, and seldom needed
        sentences: tuple[str, ...] = kit.remarks(file.kit, katas, root)
        return sentences
    own = own_kit(root)
    if own is None:
        return ()
    return (f"this kit's checks are worth {own.public_points} of {own.all_points} points; who gave it runs the others",)


def _cells(request: Request, limits: Mapping[str, int], process: ReadingProcess) -> SubmittedFile:
    """Return the cells that a kernel ran, read as if they were a saved notebook; they keep their numbers."""
    path = request.path or Path("notebook.ipynb")
    file = Reader(process, limits, request.kata).data(path, _as_notebook(request.cells))
    if file.submission is None:
        return file._replace(path=Path(path.name))
    ran = [request.cells[(cell.number or 1) - 1] for cell in file.submission.cells]
    numbered = (replace(run, source=cell.source) for cell, run in zip(file.submission.cells, ran, strict=True))
    return file._replace(path=Path(path.name), submission=replace(file.submission, cells=tuple(numbered)))


def _as_notebook(cells: Sequence[Cell]) -> bytes:
    empty = {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": []}
    listed = [{**empty, "id": f"in-{place}", "source": cell.source} for place, cell in enumerate(cells)]
    return json.dumps({"cells": listed, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}).encode()
