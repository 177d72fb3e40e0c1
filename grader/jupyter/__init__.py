"""The front for Jupyter: `%grade` grades what the notebook has run, `%show_weights` draws attention weights.

`%progress` shows your scores. All are line magics because the grader drops such lines from a notebook: graded from
outside, a notebook neither grades itself nor draws.
"""

import argparse
import atexit
import io
import shlex
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from grader.core import Advice, Event, Intake, NextRun, Report, judging, progress
from grader.core.judge_process import JudgeProcess
from grader.formats.files import check_reports, write_reports
from grader.formats.lines import plain
from grader.formats.page import Page, render_page
from grader.jupyter.cell_runs import RunCells
from grader.jupyter.heatmap import heatmap
from grader.jupyter.progress_table import ProgressTable
from grader.options import add_options, files_of, request_of, settings_of
from grader.records import GraderError

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Parser(argparse.ArgumentParser):
    """Says what is wrong with the words in a sentence, and does not end the kernel."""

    def error(self, message: str) -> NoReturn:
        raise GraderError(message)


def load_ipython_extension(ipython: Any) -> None:
    """Make `%grade`, `%show_weights` and `%progress` known; `%load_ext grader.jupyter` calls this.

    Args:
        ipython: the running InteractiveShell. (Its own annotations do not fit its methods, hence Any.)

    Raises:
        GraderError: there is no IPython to make them known to.
    """
    if ipython is None:
        raise GraderError("grader.jupyter works in a notebook only: write %load_ext grader.jupyter in a cell")
    ran, judge = RunCells(ipython), JudgeProcess()
    atexit.register(judge.close)

    def grade(line: str) -> None:
        """`%grade [KATA] [--seed N] [--reveal all]`: grade what the cells that were run have defined."""
        _or_usage_error(lambda: grade_cells(ran, line, judge))

    def show_weights(line: str) -> None:
        """`%show_weights EXPRESSION`: draw a tensor of weights, queries as rows and keys as columns."""
        _or_usage_error(lambda: _display(heatmap(line.strip(), _evaluate(ipython, line))))

    def show_progress(line: str) -> ProgressTable:
        """`%progress`: your scores in each kata, and what is next."""
        return ProgressTable(judging.load_judge().katas, progress.read())

    ipython.register_magic_function(grade, "line", "grade")
    ipython.register_magic_function(show_weights, "line", "show_weights")
    ipython.register_magic_function(show_progress, "line", "progress")


def grade_cells(ran: RunCells, line: str, judge: JudgeProcess) -> None:
    """Grade the cells that were run, as a notebook of their own; print the report, and write the files asked for.

    Args:
        ran: the cells.
        line: what stands after `%grade`: a kata's name or nothing, then options of `python -m grader grade`.
        judge: grades.

    Raises:
        GraderError: no cell with code was run, or the grader refused; the message says why.
    """
    parser = Parser(prog="%grade", allow_abbrev=False)
    parser.add_argument("kata", nargs="?", metavar="KATA", help="left out: told from what is defined")
    add_options(parser)
    try:
        options = parser.parse_args(_words(line))
    except SystemExit:  # argparse has shown its help
        return
    if not ran.have_code:
        raise GraderError("no cell has been run yet: run the cells above, then this one again")
    files = files_of(options)
    check_reports(list(files.values()))
    request = replace(request_of(options, _here() / "notebook.ipynb"), cells=ran.cells)
    events = list(judge.events(request, settings_of(options)))
    reports = [event for event in events if isinstance(event, Report)]
    print(plain(render_page(reports, _page(events, options))), end="")
    if problems := write_reports(reports, files, many=False):
        raise GraderError("\n".join(problems))


def _words(line: str) -> list[str]:
    try:
        return shlex.split(line)
    except ValueError as error:
        raise GraderError(f"{line.strip()} cannot be read as words ({error}): close the quotation.") from None


def _page(events: list[Event], options: argparse.Namespace) -> Page:
    intake = next(event for event in events if isinstance(event, Intake))
    advice = next(event for event in events if isinstance(event, Advice))
    command = _magic(advice.next_run) if advice.next_run else None
    return Page(seed=intake.seed, command=command, begin=advice.begin, reveal=options.reveal, explain=options.explain)


def _magic(run: NextRun) -> str:
    """`%grade scaffold --seed 7`."""
    tiers, allow = ",".join(tier.replace(" ", "_") for tier in run.tiers), ",".join(run.allow)
    seed = None if run.seed is None else str(run.seed)
    options = {"--tier": tiers, "--allow": allow, "--seed": seed}
    given = [f"{option} {value}" for option, value in options.items() if value]
    return " ".join(["%grade", *([run.kata] if run.kata else []), *given])


def _here() -> Path:
    """The notebook's folder, in which modules that it imports are looked for by name."""
    try:
        return Path.cwd()
    except FileNotFoundError:
        return Path("gone")


def _display(figure: "Figure") -> None:
    # As PNG, not through pyplot: the same in every front end, whatever backend the notebook chose.
    from IPython.display import Image, display

    png = io.BytesIO()
    figure.savefig(png, format="png", dpi=96)
    display(Image(data=png.getvalue(), format="png"))


def _evaluate(ipython: Any, expression: str) -> Any:
    if not expression.strip():
        raise GraderError("%show_weights needs a name or an expression: %show_weights weights[0]")
    try:
        return ipython.ev(expression)
    except Exception as error:
        raise GraderError(f"{expression.strip()} has no value: {type(error).__name__}: {error}") from None


def _or_usage_error(act: Callable[[], None]) -> None:
    from IPython.core.error import UsageError

    try:
        act()
    except GraderError as error:
        raise UsageError(str(error)) from None
    except KeyboardInterrupt:
        raise UsageError("interrupted: nothing was graded") from None
