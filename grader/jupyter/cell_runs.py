"""What a kernel has run, as it is graded: of each cell the newest run, in the order in which cells first ran."""

import ast
from dataclasses import replace
from typing import Any, NamedTuple

from grader.records import Cell

MAGIC, SHELL, COMMENT = "%!#"


class CellRun(NamedTuple):
    """The newest run of one cell."""

    cell_id: str | None
    """None: the front end gives none, or it ran before the magics were loaded. Then a text is a cell."""
    cell: Cell
    """Its number is the `In [n]` of that run."""


class RunCells:
    """Listens to an InteractiveShell. (Its own annotations do not fit its methods, hence Any.)"""

    def __init__(self, ipython: Any) -> None:
        self._ipython = ipython
        self._runs: list[CellRun] = []
        for number, source in enumerate(ipython.history_manager.input_hist_raw):
            if source:
                self._keep(None, Cell(source, number))
        ipython.events.register("pre_run_cell", self._begin)
        ipython.events.register("post_run_cell", self._end)

    @property
    def cells(self) -> tuple[Cell, ...]:
        """What is to be graded."""
        return tuple(run.cell for run in self._runs)

    @property
    def have_code(self) -> bool:
        """Whether any of it is more than magics and comments."""
        lines = (line.strip() for cell in self.cells for line in cell.source.splitlines())
        return any(line and line[0] not in (MAGIC, SHELL, COMMENT) for line in lines)

    def _begin(self, info: Any) -> None:
        if info.store_history:
            number = len(self._ipython.history_manager.input_hist_raw)  # some versions have counted it by now
            self._keep(info.cell_id, Cell(info.raw_cell, number))

    def _keep(self, cell_id: str | None, cell: Cell) -> None:
        run, place = CellRun(cell_id, cell), self._place_of(cell_id, cell.source)
        if place is None:
            self._runs.append(run)
        else:
            self._runs[place] = run

    def _place_of(self, cell_id: str | None, source: str) -> int | None:
        ids = [run.cell_id for run in self._runs]
        if cell_id is not None and cell_id in ids:
            return ids.index(cell_id)
        texts = [run.cell.source if run.cell_id is None else None for run in self._runs]
        return texts.index(source) if source in texts else None

    def _end(self, result: Any) -> None:
        """An interrupted cell is kept up to there: an endless loop would run in each grading."""
        if isinstance(result.error_in_exec, KeyboardInterrupt):
            number, before = result.execution_count, _before(self._ipython, result)
            self._runs = [
                run._replace(cell=replace(run.cell, source=before)) if run.cell.number == number else run
                for run in self._runs
            ]


def _before(ipython: Any, result: Any) -> str:
    """A cell's statements before the one in which it was interrupted."""
    source, trace = result.info.raw_cell, result.error_in_exec.__traceback__
    while trace and trace.tb_frame.f_globals is not ipython.user_ns:
        trace = trace.tb_next
    try:
        statements = ast.parse(ipython.transform_cell(source)).body
    except SyntaxError:  # what it is turned into is no plain Python
        statements = []
    line = trace.tb_lineno if trace else 1
    begin = max((statement.lineno for statement in statements if statement.lineno <= line), default=1)
    return "\n".join([*source.split("\n")[: begin - 1], "# interrupted here"])
