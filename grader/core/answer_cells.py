"""Finds which of a kernel's cells make up the answer; other cells that ran long are not run again for a grading."""

from collections.abc import Sequence
from dataclasses import replace

from grader.core.events import AnswerCells, NameInCell
from grader.records import Cell, Contract, Submission
from grader.submission.cell_names import CellNames, cell_names_of, needed_for

MAGICS = {"get_ipython"}
"""IPython turns a magic or a shell command into a call of this function, which does nothing in a grading."""
SLOW_S = 2.0
"""Seconds from which a run in the kernel counts as long."""


def split_answer(submission: Submission, contract: Contract) -> tuple[Submission, AnswerCells]:
    """Return the submission without the cells that are left out, and the cells that its names come from.

    Args:
        submission: the cells that a kernel ran, each with its number.
        contract: what the kata asks for.
    """
    names = [cell_names_of(cell.source) for cell in submission.cells]
    known = [each for each in contract.needed if "." not in each.name]
    required, given = ([each.name for each in known if bool(each.supplied) is supplied] for supplied in (False, True))
    needed = needed_for([*required, *given], names)
    works = {place for place, of in enumerate(names) if of.used - MAGICS}
    left_out = {place for place, cell in enumerate(submission.cells) if _is_slow(cell)} & works - needed
    used = sorted(frozenset(given).union(*(names[place].used for place in needed)) - set(required))
    kept = tuple(cell for place, cell in enumerate(submission.cells) if place not in left_out)
    cells = AnswerCells(
        _where_bound(required, submission.cells, names),
        _where_bound(used, submission.cells, names),
        tuple(submission.cells[place].number or 0 for place in sorted(left_out)),
    )
    return replace(submission, cells=kept), cells


def _is_slow(cell: Cell) -> bool:
    return cell.seconds is not None and cell.seconds >= SLOW_S


def _where_bound(wanted: Sequence[str], cells: Sequence[Cell], names: Sequence[CellNames]) -> tuple[NameInCell, ...]:
    """Return each wanted name that some cell binds, with the last cell that binds it."""
    last = {name: cell.number or 0 for cell, of in zip(cells, names, strict=True) for name in of.bound}
    return tuple(NameInCell(name, last[name]) for name in wanted if name in last)
