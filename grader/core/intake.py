"""From a request to submissions that were read: the one place where the core calls what reads."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from grader.core.request import Request
from grader.handed import Handed, HandedIn, exercises, handed_in
from grader.handed.one import Asked, attempt
from grader.optional import optional
from grader.records import Cell, GraderError, Submission
from grader.submission import identify, reading, unknown
from grader.submission.beside import in_folder
from grader.submission.kit_json import own_kit
from grader.submission.reader import decoded

if TYPE_CHECKING:
    from grader.checks.kata import Kata


def read(request: Request) -> HandedIn | None:
    """What was handed in; None: nothing, the exercises are meant.

    Raises:
        GraderError: nothing is at the path, or nothing that can be read, or no submission in it.
    """
    limits = reading(request.source_bytes)
    if request.cells:
        return HandedIn([_cells(request, limits)], is_stack=False)
    return handed_in(request.path, request.kata, limits) if request.path is not None else None


def read_exercises(request: Request, katas: Sequence[str], root: Path) -> HandedIn:
    """The exercises of the katas of these names, or of the one that was asked for.

    Raises:
        GraderError: one is missing, or a kit's manifest is damaged.
    """
    return HandedIn(exercises(request.kata, katas, root, reading(request.source_bytes)), is_stack=False)


def kata_of(file: Handed, katas: "Sequence[Kata]") -> "Kata":
    """The kata that a file is for.

    Raises:
        GraderError: it was not read, or none of these can be told from it.
    """
    if file.failure:
        raise file.failure
    if file.submission is None:
        raise GraderError(file.problem or "it could not be read")
    with file.deadline.runs():
        name = file.kata or identify(file.submission, [kata.contract for kata in katas])
    found = next((kata for kata in katas if kata.name == name), None)
    if found is None:  # of a kit whose manifest was changed, or made from other sources
        raise GraderError(unknown("kata", name, [each.name for each in katas]))
    return found


def remarks(file: Handed, katas: "Sequence[Kata]", root: Path) -> tuple[str, ...]:
    """What is to be said of the kit that the file came back in, or that this grader is part of."""
    kit = optional("grader.kit")
    if file.returned is not None and kit is not None:
        with file.deadline.runs():
            said: tuple[str, ...] = kit.remarks(file.returned, katas, root)
        return said
    own = own_kit(root)
    if own is None:
        return ()
    return (f"this kit's checks are worth {own.public_points} of {own.all_points} points; who gave it runs the others",)


def _cells(request: Request, limits: Mapping[str, int]) -> Handed:
    """What a kernel ran, as if it had been saved; its cells keep their numbers."""
    path = request.path or Path("notebook.ipynb")

    def reading_cells() -> Submission:
        submission = decoded(path, _as_notebook(request.cells), limits, in_folder(path))
        numbered = (replace(cell, number=request.cells[(cell.number or 1) - 1].number) for cell in submission.cells)
        return replace(submission, cells=tuple(numbered))

    asked = Asked(request.kata, limits)
    return attempt(path, asked, lambda clock: [Handed(Path(path.name), reading_cells(), None, clock, request.kata)])[0]


def _as_notebook(cells: Sequence[Cell]) -> bytes:
    empty = {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": []}
    listed = [{**empty, "id": f"in-{place}", "source": cell.source} for place, cell in enumerate(cells)]
    return json.dumps({"cells": listed, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}).encode()
