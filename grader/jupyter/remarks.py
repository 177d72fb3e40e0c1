"""What is said of the cells that were graded: which they are, and where the notebook itself holds something else."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from grader.core import AnswerCells, NameInCell, Report
from grader.jupyter.cell_runs import CellRun
from grader.jupyter.saved import SavedNotebook
from grader.records import Cell

CELL, PROMPT = re.compile(r"\bcell (\d+)\b"), r"In [\1]"
RAISED = re.compile(r"cell (\d+) raised ")
BEFORE = re.compile(r" Before that, cell (\d+) raised .*?\.(?=\n|$)", re.DOTALL)
"""In the message on a name that is missing."""
RUN_ABOVE = "Run the cells above, then this one again."
MOST_NAMES = 3
"""Of one cell, that a sentence lists."""


def graded_line(answer: AnswerCells) -> str | None:
    """`graded: MultiHeadAttention of In [17]`; None: nothing that the kata asks for is there."""
    return f"graded: {', '.join(map(_of_cell, answer.required))}" if answer.required else None


def with_prompts(report: Report) -> Report:
    """The report with `In [9]` for `cell 9`, as the notebook shows it beside the cell."""
    tiers = tuple(
        replace(tier, checks=tuple(replace(check, where=_with_prompts(check.where)) for check in tier.checks))
        for tier in report.tiers
    )
    notes = tuple(CELL.sub(PROMPT, note) for note in report.notes)
    return replace(report, message=_with_prompts(report.message), notes=notes, tiers=tiers)


def _with_prompts(text: str | None) -> str | None:
    return text and CELL.sub(PROMPT, text)


def of_what_ran(report: Report) -> Report:
    """The report with what the cells that were run lack, where it says what the notebook lacks: it may hold more."""
    lacking = f"{Path(report.submission).name} defines no "
    if not (report.message or "").startswith(lacking):
        return report
    said = str(report.message).replace(lacking, "The cells that were run define no ")
    if cause := BEFORE.search(said):
        raised = cause[0].removeprefix(" Before that, ").rstrip(".")
        said = f"{raised}, so {said[0].lower()}{said[1:].replace(cause[0], '')}"
        return replace(report, message=said)
    return replace(report, message=f"{said} {RUN_ABOVE}")


def without_needless(
    report: Report, answer: AnswerCells | None, runs: Sequence[CellRun], saved: SavedNotebook | None
) -> Report:
    """The report without its notes on cells that are gone, or ran well in the kernel, where a file may be read.

    Where a cell defines what the kata asks for, and that is missing, what was raised before is why: it stays.

    Args:
        report: on the cells.
        answer: which of them make it.
        runs: of all.
        saved: the notebook's file, where it is known.
    """
    well = {run.cell.number for run in runs if not run.raised or is_gone(run, saved)}
    notes = tuple(note for note in report.notes if not ((match := RAISED.match(note)) and int(match[1]) in well))
    message = report.message
    if message and (match := BEFORE.search(message)) and int(match[1]) in well and not (answer and answer.required):
        message = message.replace(match[0], "")
    return replace(report, message=message, notes=notes)


def remarks(
    answer: AnswerCells, runs: Sequence[CellRun], saved: SavedNotebook | None, score: Callable[[tuple[Cell, ...]], int]
) -> tuple[str, ...]:
    """What was left out, edited and not run, or deleted, a sentence each.

    Args:
        answer: which cells make it.
        runs: of all cells.
        saved: the notebook's file, where it is known.
        score: what other cells score.
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
