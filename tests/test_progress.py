"""One's own scores are kept, in a file that no reset and no stack of somebody else's submissions touches."""

import re
from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

from grader.core import place, progress
from grader.core.progress import Progress
from grader.jupyter import load_ipython_extension
from grader.jupyter.progress_table import ProgressTable
from grader.katas import KATAS
from grader.records import GROUPS, Outcome, Report, TierResult, Verdict
from tests.fakes import CommandResult, FakeJudge, check, report
from tests.grading import ROOT


@pytest.fixture(autouse=True)
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository, and a state folder that is not there yet."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setattr(place, "ROOT", tmp_path)
    return tmp_path


def scored(points: int, outcome: Outcome = Outcome.GRADED) -> Report:
    checks = (check("a", max_points=points), check("b", Verdict.FAIL, 100 - points))
    return report(TierResult("shapes", "-", checks), outcome=outcome)


def test_the_best_the_last_and_the_attempts_are_kept(root: Path) -> None:
    for points, folder in ((40, "exercises"), (70, "notebooks"), (55, "exercises")):
        progress.keep(scored(points), root / folder / "plain.py")
    assert {"plain": Progress(best=70, last=55, attempts=3)} == progress.read()


def test_what_lies_elsewhere_was_not_graded_or_is_not_written_is_not_kept(root: Path) -> None:
    progress.keep(scored(40), root / "submissions" / "plain.py")
    progress.keep(scored(40, Outcome.TIMEOUT), root / "exercises" / "plain.py")
    untouched = report(TierResult("shapes", "-", (check("a", Verdict.TODO),)))
    progress.keep(untouched, root / "exercises" / "plain.py")
    assert {} == progress.read()


@pytest.mark.parametrize("damaged", ["", "[]", '{"plain": 7}', '{"plain": {"best": "x"}}', '{"plain": {"most": 1}}'])
def test_a_damaged_file_is_begun_anew(root: Path, damaged: str) -> None:
    file = root / "state" / "attention-katas" / "progress.json"
    file.parent.mkdir(parents=True)
    file.write_text(damaged)
    assert {} == progress.read()
    progress.keep(scored(40), root / "exercises" / "plain.py")
    assert {"plain": Progress(40, 40, 1)} == progress.read()


def test_without_a_home_nothing_is_written(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("XDG_STATE_HOME")
    monkeypatch.delenv("HOME", raising=False)
    progress.keep(scored(40), root / "exercises" / "plain.py")
    assert {} == progress.read()


def test_a_graded_exercise_shows_in_the_list(judge: FakeJudge, run: Callable[..., CommandResult], root: Path) -> None:
    exercise = root / "exercises" / "function.py"
    exercise.write_text("# score 40\n")
    run("grade", exercise, "--kata", "function", "--tier", "shapes")
    assert {} == progress.read(), "a part of the tiers is no attempt at the whole"
    run("grade", exercise, "--kata", "function")
    lines = run("list").out.splitlines()
    assert f"  {40:>3}  function" == lines[2].partition("  The")[0].rstrip()
    assert "next: make grade KATA=function" == lines[-1]


def test_progress_shows_in_a_notebook_with_links() -> None:
    first, second, third = (kata.name for kata in KATAS[:3])
    table = ProgressTable(KATAS, {first: Progress(100, 100, 1), second: Progress(40, 40, 1)})
    lines = table._repr_markdown_().splitlines()
    assert f"| [{first}]({first}.ipynb) | 100 | 100 | 1 |" == lines[2]
    assert f"| [{third}]({third}.ipynb) | - | - | - |" == lines[4]
    assert f"next: [{second}]({second}.ipynb)" == lines[-1]
    assert [second, "40", "40", "1"] == repr(table).splitlines()[2].split()
    assert f"next: {second}" == repr(table).splitlines()[-1]
    done = {kata.name: Progress(100, 100, 1) for kata in KATAS}
    assert "all katas are at 100" == repr(ProgressTable(KATAS, done)).splitlines()[-1]


def test_the_index_links_every_kata_and_runs(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    book = nbformat.read(ROOT / "notebooks" / "index.ipynb", as_version=4)
    text = "\n".join(cell.source for cell in book.cells if cell.cell_type == "markdown")
    linked = re.findall(r"^\| \[(\w+)\]\((\w+)\.ipynb\)", text, re.MULTILINE)
    grouped = [kata.name for group in GROUPS for kata in KATAS if kata.group == group]
    assert [(name, name) for name in grouped] == linked
    shell = InteractiveShell(config=Config({"HistoryManager": {"hist_file": ":memory:"}}))
    load_ipython_extension(shell)
    shell.run_cell(next(cell.source for cell in book.cells if cell.source == "%progress")).raise_error()
    assert KATAS[0].name in capsys.readouterr().out
