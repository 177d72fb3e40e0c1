"""From a request to submissions that were read: the one place where the core calls what reads."""

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
"""Names of files that are beside a program."""
INNER_FOLDERS = {"src", "code", "scripts", "test", "tests"}
"""Of a person's own folder."""
OF_CANVAS = re.compile(r"(?P<person>[^_]+_(?:LATE_)?\d+)_\d+_(?P<name>.+?)(?:-\d+)?(?P<suffix>\.\w+)")
"""What Canvas makes of a file's name: whose it is, the file's number, its name, and which of several tries it is."""
OF_THE_INDEX = "get_ipython().run_line_magic('progress', '')"
"""A cell of ours in `notebooks/index.ipynb`, the way in to the others."""


def read(request: Request, process: ReadingProcess) -> Stack | None:
    """What was handed in; None: nothing, the exercises are meant.

    Args:
        request: says what, and how large a source may be.
        process: decodes the files.

    Raises:
        GraderError: nothing is at the path, or nothing that can be read, or no submission in it.
    """
    limits = most_bytes(request.source_bytes)
    if request.cells:
        return Stack([_cells(request, limits, process)], is_stack=False)
    return read_path(request.path, request.kata, limits, process) if request.path is not None else None


def read_the_exercises(request: Request, katas: Sequence[str], root: Path) -> Stack:
    """The exercises of the katas of these names, or of the one that was asked for.

    Args:
        request: says which kata, if one was named, and how large a source may be.
        katas: names of all of them.
        root: the repository or the kit.

    Raises:
        GraderError: one is missing, or a kit's manifest is damaged.
    """
    return Stack(read_exercises(request.kata, katas, root, most_bytes(request.source_bytes)), is_stack=False)


def kata_of(file: SubmittedFile, katas: "Sequence[Kata]") -> "Kata":
    """The kata that a file is for.

    Raises:
        GraderError: none of these can be told from it.
        RuntimeError: the grader itself failed as it read the file.
    """
    if file.failure:
        raise file.failure
    assert file.submission is not None  # it has no problem and no failure
    name = file.kata or identify(file.submission, [kata.contract for kata in katas])
    kata = next((kata for kata in katas if kata.name == name), None)
    if kata is None:  # of a kit whose manifest was changed, or made from other sources
        raise GraderError(unknown("kata", name, [each.name for each in katas]))
    return kata


def without_companions(handed: Stack, katas: "Sequence[Kata]") -> tuple[Stack, tuple[str, ...]]:
    """A stack without what lies beside a submission and is none itself, and the paths of that.

    A file that defines the names of no kata is beside a submission where a kata can be told from another file of its
    folder, and it is named as tests are, or imports that file, or is our index of the notebooks.
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
        of_another = any((home, name) in modules for name in imported | file.submission.beside)
        runs_progress = any(cell.source.strip() == OF_THE_INDEX for cell in file.submission.cells)
        is_index = runs_progress and not file.submission.definitions
        return of_another or is_index or COMPANION.fullmatch(path.name) is not None

    aside = [file for file in handed.files if is_companion(file)]
    kept = [file for file in handed.files if file not in aside] if aside else handed.files
    return handed._replace(files=kept), tuple(str(file.path) for file in aside)


def _answers(file: SubmittedFile, contract: "Contract | None") -> bool:
    """It defines what a kata asks for: `test_scaffold.py` may have the name of a kata alone."""
    if file.kit is not None:
        return True
    return contract is not None and file.submission is not None and has_names(contract, file.submission)


def _home(path: Path) -> Path:
    """The folder of a file and its companions, whichever of them stand in `src` or `tests`."""
    return path.parent.parent if path.parent.name.lower() in INNER_FOLDERS else path.parent


def _as_written(path: Path) -> Path:
    """The path that a file had before Canvas put those of all people into one folder: in one of its writer's."""
    known = OF_CANVAS.fullmatch(path.name)
    return path.parent / known["person"] / f"{known['name']}{known['suffix']}" if known else path


def katas_of(handed: Stack, katas: "Sequence[Kata]") -> "Sequence[Kata]":
    """The katas that a stack is for; all, where none can be told."""
    names = {file.kata or _kata_if_known(file, katas) for file in handed.files}
    return [kata for kata in katas if kata.name in names] or katas


def _kata_if_known(file: SubmittedFile, katas: "Sequence[Kata]") -> str | None:
    """The kata that a file's names and source tell, whichever was named for all; None: they tell none."""
    if file.kit is not None:
        return file.kata
    if file.submission is None:
        return None
    try:
        return identify(file.submission, [kata.contract for kata in katas])
    except GraderError:
        return None


def remarks(file: SubmittedFile, katas: "Sequence[Kata]", root: Path) -> tuple[str, ...]:
    """What is to be said of the kit that the file came back in, or that this grader is part of.

    Args:
        file: what was read.
        katas: all that these sources have.
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
    """What a kernel ran, as if it had been saved; its cells keep their numbers."""
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
