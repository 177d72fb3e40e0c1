"""Remarks on the cells that were graded: which they are, and where the notebook itself holds something else."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from grader.core import AnswerCells, NameInCell
from grader.jupyter.cell_runs import CellRun
from grader.jupyter.saved import SavedNotebook
from grader.records import Cell

MOST_NAMES = 3
"""The most names of one cell that a sentence lists."""


def graded_line(answer: AnswerCells) -> str | None:
    """Return `graded: MultiHeadAttention of In [17]`; None: nothing that the kata asks for is there."""
    return f"graded: {', '.join(map(_of_cell, answer.required))}" if answer.required else None


def as_graded(runs: Sequence[CellRun], saved: SavedNotebook | None) -> tuple[Cell, ...]:
    """Return the cells to grade; what an excused cell raises when it is run again gets no note.

    A cell is excused that ran well in the kernel, where it may read files, or that is gone from the notebook.

    Args:
        runs: the runs of all cells.
        saved: the notebook's file, where it is known.
    """
    return tuple(replace(run.cell, is_excused=not run.raised or is_gone(run, saved)) for run in runs)


def remarks(
    answer: AnswerCells, runs: Sequence[CellRun], saved: SavedNotebook | None, score: Callable[[tuple[Cell, ...]], int]
) -> tuple[str, ...]:
    """Return a sentence for each cell that was left out, edited and not run again, or deleted.

    Args:
        answer: the cells that make up the answer.
        runs: the runs of all cells.
        saved: the notebook's file, where it is known.
        score: returns what other cells score.
    """
    by_number = {run.cell.number: run for run in runs}
    places: dict[CellRun, list[NameInCell]] = {}
    for each in (*answer.required, *answer.used):
        if run := by_number.get(each.cell):
            places.setdefault(run, []).append(each)
    said = [_left_out(by_number[number]) for number in answer.left_out if number in by_number]
    said += [
        f"In [{run.cell.number}] was {change} since it ran, and what ran is graded: run it, then this cell again"
        for run in places
        if saved and (change := saved.change(run))
    ]
    gone = {run: names for run, names in places.items() if is_gone(run, saved)}
    if gone:
        left = score(tuple(run.cell for run in runs if run not in gone))
        said += [f"{_names(names)}, a cell that the notebook no longer holds" for names in gone.values()]
        said[-1] += f": handed in, this scores {left}"
    return tuple(said)


def is_gone(run: CellRun, saved: SavedNotebook | None) -> bool:
    """Whether the notebook no longer holds a cell, as far as is known."""
    if run.gone_since is not None:
        return saved is None or not saved.holds_again(run)
    return saved is not None and saved.lacks(run)


def _left_out(run: CellRun) -> str:
    took = f"In [{run.cell.number}] ran {run.cell.seconds:g} s"
    return f"{took} and defines nothing that the answer uses: it was left out"


def _names(of: Sequence[NameInCell]) -> str:
    more = len(of) - MOST_NAMES
    listed = ", ".join(each.name for each in of[:MOST_NAMES]) + (f" and {more} more" if more > 0 else "")
    return f"{listed} {'comes' if len(of) == 1 else 'come'} from In [{of[0].cell}]"


def _of_cell(name: NameInCell) -> str:
    return f"{name.name} of In [{name.cell}]"
