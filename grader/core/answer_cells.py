"""Which of a kernel's cells make the answer; one that ran long beside it is not run again for a grading."""

from collections.abc import Sequence
from dataclasses import replace

from grader.core.events import AnswerCells, NameInCell
from grader.records import Cell, Contract, Submission
from grader.submission.cell_names import CellNames, cell_names_of, needed_for

MAGICS = {"get_ipython"}
"""What a magic or a shell command becomes a call of, which does nothing in a grading."""
SLOW_S = 2.0
"""Seconds from which a run in the kernel counts as long."""


def split_answer(submission: Submission, contract: Contract) -> tuple[Submission, AnswerCells]:
    """The submission without what is left out, and where its names come from.

    Args:
        submission: what a kernel ran, each cell numbered.
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
    """The last cell that binds each of the names that is bound at all."""
    last = {name: cell.number or 0 for cell, of in zip(cells, names, strict=True) for name in of.bound}
    return tuple(NameInCell(name, last[name]) for name in wanted if name in last)
