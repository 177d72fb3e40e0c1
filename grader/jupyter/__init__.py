"""The front for Jupyter: `%grade` grades what the notebook has run; others show hints, the failing call, our solution.

These are line magics because the grader drops such lines from a notebook: graded from outside, a notebook neither
grades itself nor draws. `check`, `hint` and `solution` do the same for users who would rather call a function.
"""

import atexit
from collections.abc import Callable
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from grader.core import judging, progress
from grader.core.judge_process import JudgeProcess
from grader.jupyter.cell_runs import RunCells
from grader.jupyter.completion import complete_names
from grader.jupyter.example import Examples
from grader.jupyter.grading import GradingEvents, grade_cells
from grader.jupyter.progress_table import ProgressTable
from grader.jupyter.saved import saved_notebook
from grader.jupyter.show_weights import show_weights
from grader.optional import optional
from grader.records import GraderError

Result = TypeVar("Result")
_loaded: "WeakKeyDictionary[Any, Front]" = WeakKeyDictionary()
"""The magics that are loaded, by the shell; a kernel has one shell."""


class Front:
    """The magics of one kernel.

    Args:
        ipython: the running InteractiveShell. (Its own annotations do not fit its methods, hence Any.)
    """

    def __init__(self, ipython: Any) -> None:
        self.ipython, self.ran, self.judge = ipython, RunCells(ipython), JudgeProcess()
        self.examples = Examples(ipython)
        self.last: GradingEvents | None = None
        """The events of the last grading that came to a report."""
        atexit.register(self.judge.close)
        study = optional("grader.jupyter.self_study")  # a kit is without it
        self.study = study.SelfStudy(ipython, lambda: self.last) if study else None
        for magic in (self.grade, self.show_weights, self.progress):
            ipython.register_magic_function(magic, "line", magic.__name__)
        for magic in (self.study.hint, self.study.failed, self.study.solution) if self.study else ():
            ipython.register_magic_function(_said(magic), "line", magic.__name__)
        ipython.register_magic_function(self.examples.run, "cell", "example")
        complete_names(ipython)
        ipython.events.register("post_run_cell", self._forget_loading)

    def _forget_loading(self, _: Any) -> None:
        """Have IPython forget that the magics are loaded: when the set-up cell runs again, it would print that."""
        self.ipython.extension_manager.loaded.discard(__name__)

    def grade(self, line: str = "") -> None:
        """`%grade [KATA] [--seed N] [--reveal all]`: grade what the cells that were run have defined."""
        heard = _or_usage_error(lambda: grade_cells(self.ran, line, self.judge, lambda: saved_notebook(self.ipython)))
        self.last = heard or self.last

    def show_weights(self, line: str) -> None:
        """`%show_weights EXPRESSION`: draw a tensor of weights, queries as rows and keys as columns."""
        _or_usage_error(lambda: show_weights(self.ipython, self.examples, line))

    def progress(self, line: str = "") -> ProgressTable:
        """`%progress`: your scores in each kata, and what is next."""
        return ProgressTable(judging.load_judge().katas, progress.read())


def load_ipython_extension(ipython: Any) -> None:
    """Register the magics, once for each shell; `%load_ext grader.jupyter` calls this.

    Args:
        ipython: the running InteractiveShell.

    Raises:
        GraderError: there is no IPython to register them with.
    """
    if ipython is None:
        raise GraderError("grader.jupyter works in a notebook only: write %load_ext grader.jupyter in a cell")
    if ipython not in _loaded:
        _loaded[ipython] = Front(ipython)


def check(kata: str = "", options: str = "") -> None:
    """Grade what the notebook has run, as `%grade` does.

    Args:
        kata: its name; left out: taken from what is defined.
        options: as after `%grade`: `--seed 7`.
    """
    _front().grade(f"{kata} {options}")


def hint(kata: str = "") -> None:
    """The next hint for the tier that failed last, as `%hint` shows it."""
    _or_usage_error(lambda: _study().hint(kata))


def solution(kata: str = "") -> None:
    """Our solution, as `%solution` shows it."""
    _or_usage_error(lambda: _study().solution(kata))


def _front() -> Front:
    from IPython.core.getipython import get_ipython

    ipython = get_ipython()
    load_ipython_extension(ipython)
    return _loaded[ipython]


def _study() -> Any:
    study = _front().study
    if study is None:
        raise GraderError("a kit has no hints and no solution")
    return study


def _said(magic: Callable[[str], None]) -> Callable[[str], None]:
    """Return the magic such that it reports what is wrong in a sentence, without a traceback."""

    def magic_or_sentence(line: str) -> None:
        _or_usage_error(lambda: magic(line))

    magic_or_sentence.__doc__ = magic.__doc__
    return magic_or_sentence


def _or_usage_error(act: Callable[[], Result]) -> Result:
    from IPython.core.error import UsageError

    try:
        return act()
    except GraderError as error:
        raise UsageError(str(error)) from None
    except KeyboardInterrupt:
        raise UsageError("interrupted") from None
