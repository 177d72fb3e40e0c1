"""The cells that a kernel has run, as they are graded: the newest run of each, in an order in which they can run."""

import ast
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from grader.records import Cell
from grader.submission.cell_names import CellNames, cell_names_of
from grader.submission.cells import python_cells

MAGIC, SHELL, COMMENT = "%!#"


class CellRun(NamedTuple):
    """The newest run of one cell."""

    cell_id: str | None
    """None: the front end gives no id, or the cell ran before the magics were loaded. Then equal texts are one cell."""
    cell: Cell
    """Its number is the `In [n]` of that run."""
    began: float | None
    """When the run began, by `time.time()`; None: it was not observed."""
    raised: bool
    """Whether the run failed in the kernel; a run that was not observed counts as failed."""
    gone_since: float | None = None
    """The front end said that the cell was deleted at some time after this; that may be undone by now."""


class RunCells:
    """Records what an InteractiveShell runs. (Its own annotations do not fit its methods, hence Any.)"""

    def __init__(self, ipython: Any) -> None:
        self._ipython = ipython
        self._runs: list[CellRun] = []
        """The newest run of each cell, in the order in which the cells first ran."""
        for number, source in enumerate(ipython.history_manager.input_hist_raw):
            if source:
                self._keep(CellRun(None, Cell(source, number, has_prompt=True), began=None, raised=True))
        self._grades = False
        self._ended = time.time()
        """When the last run ended."""
        ipython.events.register("pre_run_cell", self._begin)
        ipython.events.register("post_run_cell", self._end)

    @property
    def runs(self) -> tuple[CellRun, ...]:
        """The runs to grade, in the order in which they are run again."""
        names = [cell_names_of(python) for python in python_cells([run.cell.source for run in self._runs])]
        return tuple(_in_order(dict(zip(self._runs, names, strict=True))))

    @property
    def have_code(self) -> bool:
        """Whether any run holds more than magics, shell commands and comments."""
        lines = (line.strip() for run in self._runs for line in run.cell.source.splitlines())
        return any(line and line[0] not in (MAGIC, SHELL, COMMENT) for line in lines)

    def grades(self) -> None:
        """Note that the running cell grades: the time that this takes does not count as its own."""
        self._grades = True

    def _begin(self, info: Any) -> None:
        deleted = _deleted_cells(self._ipython)
        since = self._ended
        self._runs = [run._replace(gone_since=since) if run.cell_id in deleted else run for run in self._runs]
        if info.store_history:
            number = len(self._ipython.history_manager.input_hist_raw)  # some versions have counted it by now
            self._keep(CellRun(info.cell_id, Cell(info.raw_cell, number, has_prompt=True), time.time(), raised=False))
            self._grades = False

    def _keep(self, run: CellRun) -> None:
        place = self._place_of(run)
        if place is None:
            self._runs.append(run)
        else:
            self._runs[place] = run

    def _place_of(self, run: CellRun) -> int | None:
        ids = [each.cell_id for each in self._runs]
        if run.cell_id is not None and run.cell_id in ids:
            return ids.index(run.cell_id)
        texts = [each.cell.source if each.cell_id is None else None for each in self._runs]
        return texts.index(run.cell.source) if run.cell.source in texts else None

    def _seconds_since(self, began: float | None) -> float | None:
        return None if began is None or self._grades else round(time.time() - began, 1)

    def _end(self, result: Any) -> None:
        """Record the end of a run. An interrupted cell is cut off there: an endless loop would run in each grading."""
        self._ended = time.time()
        for place, run in enumerate(self._runs):
            if run.cell.number == result.execution_count:
                cell = replace(run.cell, seconds=self._seconds_since(run.began))
                if isinstance(result.error_in_exec, KeyboardInterrupt):
                    cell = replace(cell, source=_before(self._ipython, result))
                self._runs[place] = run._replace(cell=cell, raised=not result.success)


def _in_order(names: Mapping[CellRun, CellNames]) -> list[CellRun]:
    """Return the runs in the order in which the cells first ran, but each after the earlier runs that it needs.

    A run needs those that bound a base class, a decorator or another value that it looked up while it ran, and those
    that defined a function or class of the same name, which it replaced.
    """
    ordered: dict[CellRun, None] = {}
    begun: set[CellRun] = set()

    def put(run: CellRun) -> None:
        if run in begun:  # also where two runs need each other: then the one that comes first stays first
            return
        begun.add(run)
        for other, of in names.items():
            shared = (of.bound & names[run].at_once) | (of.defined & names[run].defined)
            if shared and (other.cell.number or 0) < (run.cell.number or 0):
                put(other)
        ordered[run] = None

    for run in names:
        put(run)
    return [*ordered]


def _deleted_cells(ipython: Any) -> frozenset[str]:
    """The ids of the cells deleted since the last request to run, which JupyterLab sends with the next request."""
    parent = ipython.get_parent() if hasattr(ipython, "get_parent") else None
    deleted = (parent or {}).get("metadata", {}).get("deletedCells")
    return frozenset(map(str, deleted)) if isinstance(deleted, list) else frozenset()


def _before(ipython: Any, result: Any) -> str:
    """A cell's statements before the one in which it was interrupted."""
    source, trace = result.info.raw_cell, result.error_in_exec.__traceback__
    while trace and trace.tb_frame.f_globals is not ipython.user_ns:
        trace = trace.tb_next
    try:
        statements = ast.parse(ipython.transform_cell(source)).body
    except SyntaxError:  # the cell, with its magics transformed, is no plain Python
        statements = []
    line = trace.tb_lineno if trace else 1
    begin = max((statement.lineno for statement in statements if statement.lineno <= line), default=1)
    return "\n".join([*source.split("\n")[: begin - 1], "# interrupted here"])
