"""The front for Jupyter: `%grade` grades what the notebook has run, `%show_weights` draws attention weights.

Both are line magics because the grader drops such lines from a notebook: graded from outside, a notebook
neither grades itself nor draws. Grading runs in a process of its own, so the kernel never holds the judge.
"""

import ast
import io
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grader.heatmap import heatmap
from grader.records import GraderError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ROOT = Path(__file__).resolve().parents[1]
WRITTEN = ("--json", "--junit")


def load_ipython_extension(ipython: Any) -> None:
    """Make `%grade` and `%show_weights` known; `%load_ext grader.jupyter` calls this.

    Args:
        ipython: the running InteractiveShell. (Its own annotations do not fit its methods, hence Any.)

    Raises:
        GraderError: there is no IPython to make them known to.
    """
    if ipython is None:
        raise GraderError("grader.jupyter works in a notebook only: write %load_ext grader.jupyter in a cell")

    cut: dict[int, str] = {}  # by number, cells that were interrupted: an endless loop would run in each grading

    def keep_what_ran(result: Any) -> None:
        if isinstance(result.error_in_exec, KeyboardInterrupt) and result.execution_count:
            cut[result.execution_count] = _before(ipython, result)

    def as_run() -> list[str]:
        return [cut.get(number, source) for number, source in enumerate(ipython.history_manager.input_hist_raw)]

    def grade(line: str) -> None:
        """`%grade [KATA] [--seed N] [--reveal all]`: grade what the cells that were run have defined."""
        _or_usage_error(lambda: print(grade_cells(as_run(), line)))

    def show_weights(line: str) -> None:
        """`%show_weights EXPRESSION`: draw a tensor of weights, queries as rows and keys as columns."""
        _or_usage_error(lambda: _display(heatmap(line.strip(), _evaluate(ipython, line))))

    ipython.events.register("post_run_cell", keep_what_ran)
    ipython.register_magic_function(grade, "line", "grade")
    ipython.register_magic_function(show_weights, "line", "show_weights")


def grade_cells(history: Sequence[str], line: str) -> str:
    """Grade the cells that were run, as a notebook of their own.

    Args:
        history: the sources of the cells, as typed; number n is `In [n]`, and number 0 is empty.
        line: what stands after `%grade`: a kata's name or nothing, then options of `python -m grader grade`.

    Returns:
        The report.

    Raises:
        GraderError: no cell with code was run, or the grader refused; the message says why.
    """
    words = line.split()
    kata = words.pop(0) if words and not words[0].startswith("-") else None
    cells = latest(history)
    if not any(_has_code(cell) for cell in cells):
        raise GraderError("no cell has been run yet: run the cells above, then this one again")
    with tempfile.TemporaryDirectory(prefix="grade-") as folder:
        path = Path(folder) / "notebook.ipynb"  # not named as the kata is: what was typed may be a path
        path.write_text(_as_notebook(cells, kata), encoding="utf-8")
        for module in _beside(cells):  # by name alone: an import of one is told as it is beside the notebook
            (path.parent / f"{module}.py").touch()
        chosen = ["--kata", kata] if kata else []
        done = subprocess.run(
            [sys.executable, "-m", "grader", "grade", str(path), *chosen, *_from_here(words)],
            cwd=ROOT,  # not the notebook's folder: a file there named as a module is would be imported
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            check=False,
        )
    told, why = (text.replace(str(path), "this notebook").rstrip() for text in (done.stdout, done.stderr))
    if not told:
        raise GraderError(why.lstrip() or f"the grader said nothing (exit status {done.returncode})")
    # Standard error is progress where a score was reached or missed, and the reason where nothing was graded.
    return _next_command(told, kata) + ("" if done.returncode in (0, 1) else f"\n{why}")


def latest(history: Sequence[str]) -> list[str]:
    """Keep the last run of each cell; what was run again becomes a comment, so that numbers stay `In [n]`."""
    last = {source: number for number, source in enumerate(history)}
    return [
        source if last[source] == number else f"# run again as In [{last[source]}]"
        for number, source in enumerate(history)
    ][1:]


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


def _next_command(report: str, kata: str | None) -> str:
    """Turn the Make command of a line, which names a file that is gone by now, into the magic."""
    seed = re.search(r"^run next: make grade .*\bSEED=(\d+)", report, re.MULTILINE)
    words = ["run next: %grade", kata, f"--seed {seed[1]}" if seed else None]
    slow = re.search(r"^ +[A-Z]+ +loading cell (\d+)", report, re.MULTILINE)
    if slow:  # it stays among the cells that were run, also where it is written anew
        words[0] = f"run next: restart the kernel, then the cells that are needed without In [{slow[1]}], then %grade"
    report = re.sub(r"(Name it:) make grade KATA=(\w+) SUBMISSION=.*$", r"\1 %grade \2", report, flags=re.MULTILINE)
    return re.sub(r"^run next: make grade .*$", " ".join(filter(None, words)), report, flags=re.MULTILINE)


def _from_here(words: Sequence[str]) -> list[str]:
    """The options, with each file to be written below the notebook's folder and not below the grader's."""
    placed: list[str] = []
    for word in words:
        option, equals, file = word.partition("=")
        if placed and placed[-1] in WRITTEN:
            word = os.path.abspath(word)
        elif equals and option in WRITTEN:
            word = f"{option}={os.path.abspath(file)}"
        placed.append(word)
    return placed


def _beside(cells: Sequence[str]) -> set[str]:
    """The modules and packages in the notebook's folder that the cells speak of."""
    words = set(re.findall(r"\w+", "\n".join(cells)))
    try:
        return {
            path.stem for path in Path.cwd().iterdir() if path.stem in words and (path.suffix == ".py" or _holds(path))
        }
    except OSError:  # the folder is gone, or may not be listed
        return set()


def _holds(folder: Path) -> bool:
    return folder.is_dir() and next(folder.glob("*.py"), None) is not None


def _has_code(cell: str) -> bool:
    lines = (line.strip() for line in cell.splitlines())
    return any(line and not line.startswith(("%", "!", "#")) for line in lines)


def _as_notebook(cells: Sequence[str], kata: str | None) -> str:
    empty: dict[str, Any] = {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": []}
    return json.dumps(
        {
            "cells": [{**empty, "id": f"in-{n}", "source": cell} for n, cell in enumerate(cells, start=1)],
            "metadata": {"kata": kata} if kata else {},
            "nbformat": 4,
            "nbformat_minor": 5,
        }
    )
