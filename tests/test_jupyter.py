"""The magics: what %grade hands over and shows, what %show_weights draws and refuses."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import nbformat
import pytest
import torch
from IPython.core.error import UsageError
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

from grader import jupyter
from grader.jupyter.heatmap import heatmap
from grader.records import GraderError

ROOT = Path(__file__).resolve().parents[1]


class Shell:
    """As much of IPython as the magics use."""

    def __init__(self, *cells: str, **names: object) -> None:
        self.history_manager = SimpleNamespace(input_hist_raw=["", *cells])
        self.names = names
        self.events = SimpleNamespace(register=lambda event, function: None)
        self.magics: dict[str, Callable[[str], None]] = {}
        jupyter.load_ipython_extension(self)

    def register_magic_function(self, function: Callable[[str], None], kind: str, name: str) -> None:
        assert "line" == kind
        self.magics[name] = function

    def ev(self, expression: str) -> object:
        return eval(expression, self.names)


class Grader:
    """Stands in for the grader's process and keeps what it was asked."""

    def __init__(self, status: int = 0, stdout: str = "a report\n", stderr: str = "") -> None:
        self.status, self.stdout, self.stderr = status, stdout, stderr

    def run(self, command: list[str], **options: Any) -> subprocess.CompletedProcess[str]:
        self.command, self.options = command, options
        self.path = Path(command[4])
        self.notebook = json.loads(self.path.read_text())
        self.beside = sorted(path.name for path in self.path.parent.glob("*.py"))
        stdout = self.stdout.replace("FILE", str(self.path))
        return subprocess.CompletedProcess(command, self.status, stdout, self.stderr)


@pytest.fixture
def grader(monkeypatch: pytest.MonkeyPatch) -> Grader:
    grader = Grader()
    monkeypatch.setattr(subprocess, "run", grader.run)
    return grader


def refused(shell: Shell, magic: str, line: str) -> str:
    """The sentence that a magic answers with."""
    with pytest.raises(UsageError) as caught:
        shell.magics[magic](line)
    return str(caught.value)


def test_grade_hands_over_the_cells_as_they_were_run(grader: Grader, capsys: pytest.CaptureFixture[str]) -> None:
    shell = Shell("import torch", "x = 1", "x = 2", "x = 1", "%grade scaffold --seed 3")
    shell.magics["grade"]("scaffold --seed 3 --reveal all")
    expected = ["import torch", "# run again as In [4]", "x = 2", "x = 1", "%grade scaffold --seed 3"]
    assert expected == [cell["source"] for cell in grader.notebook["cells"]]
    assert "a report\n" == capsys.readouterr().out
    nbformat.validate(nbformat.from_dict(grader.notebook))


def test_grade_calls_the_grader_from_the_repository(grader: Grader) -> None:
    Shell("x = 1").magics["grade"]("scaffold --seed 3 --reveal all")
    options = ["--kata", "scaffold", "--seed", "3", "--reveal", "all"]
    assert [sys.executable, "-m", "grader", "grade", str(grader.path), *options] == grader.command
    assert ROOT == grader.options["cwd"]
    assert "notebook.ipynb" == grader.path.name
    assert "scaffold" == grader.notebook["metadata"]["kata"]


def test_grade_writes_files_below_the_notebooks_folder(
    grader: Grader, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Shell("x = 1").magics["grade"]("scaffold --json r.json --junit=a/r.xml --seed 3 --json /tmp/r.json --json")
    files = ["--json", f"{tmp_path}/r.json", f"--junit={tmp_path}/a/r.xml", "--seed", "3", "--json", "/tmp/r.json"]
    assert [*files, "--json"] == grader.command[7:]


def test_grade_tells_of_the_modules_that_lie_beside_the_notebook(
    grader: Grader, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder in ("layers", "data"):
        (tmp_path / folder).mkdir()
    for name in ("helper.py", "other.py", "layers/heads.py", "data/x.csv", "notes.txt"):
        (tmp_path / name).write_text("raise SystemExit\n")
    monkeypatch.chdir(tmp_path)
    cell = "%matplotlib inline\nfrom helper import scale\nimport layers.heads, data, notes, torch"
    Shell(cell).magics["grade"]("")
    assert ["helper.py", "layers.py"] == grader.beside


def test_grade_in_a_folder_that_is_gone(grader: Grader, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "cwd", lambda: tmp_path / "gone")
    Shell("import helper").magics["grade"]("")
    assert [] == grader.beside


def test_grade_without_a_kata_leaves_it_to_the_grader(grader: Grader) -> None:
    Shell("x = 1").magics["grade"]("--seed 3")
    assert ["--seed", "3"] == grader.command[5:]
    assert {} == grader.notebook["metadata"]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("run next: make grade SUBMISSION=FILE SEED=7", "run next: %grade scaffold --seed 7"),
        ("run next: make grade KATA=scaffold SUBMISSION=FILE", "run next: %grade scaffold"),
        ("FILE is fine", "this notebook is fine"),
        ("Name it: make grade KATA=module SUBMISSION=FILE", "Name it: %grade module"),
        (
            "  TIMEOUT  loading cell 12: took long\nrun next: make grade SUBMISSION=FILE",
            "  TIMEOUT  loading cell 12: took long\nrun next: restart the kernel, then the cells that are needed "
            "without In [12], then %grade scaffold",
        ),
    ],
)
def test_grade_speaks_of_this_notebook_and_not_of_a_file_that_is_gone(
    grader: Grader, capsys: pytest.CaptureFixture[str], line: str, expected: str
) -> None:
    grader.stdout = f"{line}\n"
    Shell("x = 1").magics["grade"]("scaffold")
    assert f"{expected}\n" == capsys.readouterr().out


def test_grade_leaves_no_file_behind(grader: Grader) -> None:
    Shell("x = 1").magics["grade"]("scaffold")
    assert not grader.path.parent.exists()


def test_grade_before_any_cell_was_run(grader: Grader) -> None:
    shell = Shell("%load_ext grader.jupyter", "# a comment\n", "%grade scaffold")
    assert "no cell has been run yet: run the cells above, then this one again" == refused(shell, "grade", "scaffold")


def test_grade_passes_the_graders_refusal_on(grader: Grader) -> None:
    grader.status, grader.stdout, grader.stderr = 2, "", "no kata is called scafold (scaffold?)\n"
    assert "no kata is called scafold (scaffold?)" == refused(Shell("x = 1"), "grade", "scafold")


@pytest.mark.sample(1)
@pytest.mark.parametrize("typed", ["a/b", "../x", "/tmp"])
def test_grade_of_what_is_no_kata_but_a_path(typed: str) -> None:
    assert refused(Shell("x = 1"), "grade", typed).startswith(f'There is no kata "{typed}": use one of ')


def test_grade_says_when_the_grader_dies_without_a_word(grader: Grader) -> None:
    grader.status, grader.stdout = -9, ""
    assert "the grader said nothing (exit status -9)" == refused(Shell("x = 1"), "grade", "scaffold")


@pytest.mark.parametrize(("status", "expected"), [(1, "a report\n"), (3, "a report\nwhy\n")])
def test_grade_shows_standard_error_only_where_nothing_was_graded(
    grader: Grader, capsys: pytest.CaptureFixture[str], status: int, expected: str
) -> None:
    grader.status, grader.stderr = status, "why\n"
    Shell("x = 1").magics["grade"]("scaffold")
    assert expected == capsys.readouterr().out


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("x = 1\n%pwd\nfor _ in range(3):\n    while x:\n        stop()\ny = 2", "x = 1\n%pwd\n# interrupted here"),
        ("def f():\n    stop()\nf(\n)", "def f():\n    stop()\n# interrupted here"),
        ("%%time\nstop()", "# interrupted here"),
    ],
)
def test_grade_runs_a_cell_no_further_than_where_it_was_interrupted(grader: Grader, cell: str, expected: str) -> None:
    shell = InteractiveShell(config=Config({"HistoryManager": {"hist_file": ":memory:"}}))
    jupyter.load_ipython_extension(shell)
    for source in ("def stop():\n    raise KeyboardInterrupt", cell, "z = 3", "%grade scaffold"):
        shell.run_cell(source, store_history=True)
    assert [expected, "z = 3"] == [each["source"] for each in grader.notebook["cells"]][1:3]


def test_an_interrupted_grade_says_so_in_a_sentence(grader: Grader, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(command: list[str], **options: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(subprocess, "run", interrupted)
    assert "interrupted: nothing was graded" == refused(Shell("x = 1"), "grade", "scaffold")


def test_the_magics_outside_of_a_notebook() -> None:
    with pytest.raises(GraderError) as caught:
        jupyter.load_ipython_extension(None)
    assert "grader.jupyter works in a notebook only: write %load_ext grader.jupyter in a cell" == str(caught.value)


@pytest.mark.parametrize(
    ("shape", "titles"),
    [
        ((5, 7), ["w"]),
        ((3, 5, 7), ["w[0]", "w[1]", "w[2]"]),
        ((2, 6, 5, 7), [f"w[0][{head}]" for head in range(6)]),
    ],
)
def test_weights_are_drawn_a_panel_for_each_head(shape: tuple[int, ...], titles: list[str]) -> None:
    weights = torch.rand(shape, requires_grad=True)
    panels = [axes for axes in heatmap("w", weights).axes if axes.get_xlabel() == "key" and axes.get_visible()]
    assert titles == [panel.get_title() for panel in panels]
    assert ["query"] * len(titles) == [panel.get_ylabel() for panel in panels]
    drawn = torch.tensor(panels[-1].images[0].get_array().tolist(), dtype=torch.float64)
    assert torch.equal(weights.detach().reshape(-1, *shape)[0].reshape(-1, 5, 7)[len(titles) - 1].double(), drawn)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("", "%show_weights needs a name or an expression: %show_weights weights[0]"),
        ("wieghts", "wieghts has no value: NameError: name 'wieghts' is not defined"),
        ("none", "none is NoneType: give a tensor of weights, (L, S), (H, L, S) or (N, H, L, S)"),
        ("none_left", "none_left is of shape (0, 3): give a tensor of weights, (L, S), (H, L, S) or (N, H, L, S)"),
        ("row", "row is of shape (4,): give a tensor of weights, (L, S), (H, L, S) or (N, H, L, S)"),
    ],
)
def test_what_cannot_be_drawn(line: str, expected: str) -> None:
    assert expected == refused(Shell(none=None, row=torch.rand(4), none_left=torch.rand(0, 3)), "show_weights", line)
