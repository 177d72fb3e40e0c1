"""The magics: which cells %grade hands over and what it prints, what %show_weights draws and refuses."""

import signal
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from IPython.core.error import UsageError
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

from grader import Request, jupyter
from grader.core import Advice, AnswerCells, Event, Intake, NameInCell, NextRun, SubmissionBegan
from grader.core.answer_cells import split_answer
from grader.core.judge_process import JudgeProcess
from grader.core.serve import Settings
from grader.jupyter.cell_runs import RunCells
from grader.jupyter.example import COMMENT, _marked
from grader.jupyter.grading import GradingEvents, grade_cells
from grader.jupyter.heatmap import heatmap
from grader.jupyter.remarks import as_graded, remarks
from grader.jupyter.save_hook import before_save
from grader.jupyter.saved import SavedNotebook, saved_notebook
from grader.jupyter.self_study import SelfStudy
from grader.records import Cell, Contract, GraderError, RequiredName, Submission, TierResult, Verdict
from grader.sandbox import Limits
from grader.stubs.solution_cells import EXAMPLE
from tests.fakes import check, notebook, report
from tests.grading import solution

CLASS = solution("scaled_dot_product")


def of_kernel(source: str, number: int) -> Cell:
    """A cell that a kernel ran."""
    return Cell(source, number, has_prompt=True)


class FakeProcess(JudgeProcess):
    """Keeps what it was asked, and answers with one report."""

    def __init__(self) -> None:
        super().__init__()
        self.requests: list[tuple[Request, Settings]] = []
        self.advice = Advice(NextRun("plain", "notebook.ipynb", ("weight sums",), ("sdpa",), 7))

    def events(self, request: Request, settings: Settings) -> Iterator[Event]:
        self.requests.append((request, settings))
        failed = check("values_agree", Verdict.FAIL, what="output", expected="1", got="2")
        yield Intake(("notebook.ipynb",), 7, many=False, by_kata=False)
        yield SubmissionBegan("notebook.ipynb", 1, 1)
        yield report(TierResult("parity", "as PyTorch", (failed,)), submission="notebook.ipynb")
        yield self.advice


class Shell(InteractiveShell):
    """A kernel of its own; %grade prints into `said`, or raises the sentence that it refuses with."""

    def __init__(self, judge: JudgeProcess) -> None:
        super().__init__(config=Config({"HistoryManager": {"hist_file": ":memory:"}}))
        self.judge = judge
        self.ran = RunCells(self)

    @property
    def cells(self) -> tuple[Cell, ...]:
        return tuple(replace(run.cell, seconds=None) for run in self.ran.runs)

    def type(self, source: str, cell_id: str | None = None) -> None:
        self.run_cell(source, store_history=True, cell_id=cell_id)

    def grade(self, line: str = "") -> None:
        grade_cells(self.ran, line, self.judge)


@pytest.fixture
def judge() -> FakeProcess:
    return FakeProcess()


@pytest.fixture
def shell(judge: FakeProcess) -> Shell:
    return Shell(judge)


# Which cells are graded


def test_of_each_cell_the_newest_run_is_graded_in_the_order_of_the_first_runs(shell: Shell) -> None:
    for source, cell_id in (("import math", "a"), ("x = 1", "b"), ("x = 2", "b"), ("import math", "a"), ("y = x", "c")):
        shell.type(source, cell_id)
    assert (of_kernel("import math", 4), of_kernel("x = 2", 3), of_kernel("y = x", 5)) == shell.cells


def test_a_cell_stands_behind_what_its_newest_run_needed(shell: Shell) -> None:
    """A base class that was written later, in a cell below."""
    shell.type("class Layer: ...", "layer")
    shell.type("class Base: ...", "base")
    shell.type("class Layer(Base): ...", "layer")
    assert ["class Base: ...", "class Layer(Base): ..."] == [cell.source for cell in shell.cells]


def test_of_two_definitions_of_a_name_the_one_that_ran_last_counts(shell: Shell) -> None:
    for source, cell_id in (("def f(): return 1", "a"), ("def f(): return 2", "b"), ("def f(): return 1", "a")):
        shell.type(source, cell_id)
    assert ["def f(): return 2", "def f(): return 1"] == [cell.source for cell in shell.cells]


def test_imports_that_run_again_stay_first(shell: Shell) -> None:
    for source, cell_id in (
        ("import math", "a"),
        ("import math\nclass A:\n    x = math.pi", "b"),
        ("y = math.pi", "c"),
    ):
        shell.type(source, cell_id)
    shell.type("import math", "a")
    assert [4, 2, 3] == [cell.number for cell in shell.cells]


@pytest.mark.parametrize(
    ("cells", "age", "expected"),
    [
        (
            {"a": "def f(): return 2"},
            9,
            ["In [1] was edited since it ran, and what ran is graded: run it, then this cell again"],
        ),
        ({"a": "def f(): return 2"}, -9, []),
        ({"a": "def f(): return 1\n"}, 9, []),
        ({"other": "def f(): return 1"}, 9, []),
        (
            {"other": "x"},
            9,
            ["f comes from In [1], a cell that the notebook no longer holds: handed in, this scores 0"],
        ),
        ({"other": "x"}, -9, []),
    ],
)
def test_what_the_saved_notebook_holds(shell: Shell, cells: dict[str, str], age: float, expected: list[str]) -> None:
    shell.type("def f(): return 1", "a")
    saved = SavedNotebook(Path("n.ipynb"), time.time() + age, cells)
    answer = AnswerCells((NameInCell("f", 1),))
    assert expected == [*remarks(answer, shell.ran.runs, saved, len)]


def test_a_cell_that_was_moved_is_there_again_and_one_that_is_gone_needs_no_note(shell: Shell) -> None:
    shell.type("def f(): return 1", "a")
    gone = shell.ran.runs[0]._replace(gone_since=time.time(), raised=True)
    answer = AnswerCells((NameInCell("f", 1),))
    sentence = "f comes from In [1], a cell that the notebook no longer holds: handed in, this scores 0"
    for age, said, excused in ((9, [], [False]), (-9, [sentence], [True])):
        saved = SavedNotebook(Path("n.ipynb"), time.time() + age, {"a": "def f(): return 1"})
        assert said == [*remarks(answer, [gone], saved, len)]
        assert excused == [cell.is_excused for cell in as_graded([gone], saved)]


@pytest.mark.parametrize("cell_id", ["vscode-notebook-cell:/home/ann/n.ipynb#W0sZmlsZQ%3D%3D", None])
@pytest.mark.parametrize(("text", "said"), [("def f(): return 2", 1), ("def f(): return 1", 0)])
def test_where_ids_are_not_the_files_nobody_knows_an_edit_from_a_deletion(
    shell: Shell, cell_id: str | None, text: str, said: int
) -> None:
    shell.type("def f(): return 1", cell_id)
    saved = SavedNotebook(Path("n.ipynb"), time.time() + 9, {"a1": text})
    expected = ["In [1] was edited or deleted since it ran, and what ran is graded: run it, then this cell again"]
    assert expected[:said] == [*remarks(AnswerCells((NameInCell("f", 1),)), shell.ran.runs, saved, len)]


@pytest.mark.parametrize("named", ["JPY_SESSION_NAME", "__vsc_ipynb_file__"])
def test_the_saved_notebook_is_the_one_that_the_front_end_names(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, named: str
) -> None:
    path = tmp_path / "n.ipynb"
    monkeypatch.setenv("JPY_SESSION_NAME", "gone.ipynb")
    assert saved_notebook(shell) is None
    path.write_text("{")
    monkeypatch.setenv(named, str(path))
    shell.push({named: str(path)})
    assert saved_notebook(shell) is None, "half written"
    path.write_text(notebook("x = 1"))
    saved = saved_notebook(shell)
    assert saved is not None
    assert {"c0": "x = 1"} == saved.sources


@pytest.mark.parametrize(
    ("verdict", "said"),
    [
        (Verdict.TODO, "nothing is written yet"),
        (Verdict.PASS, "every check passed"),
        (Verdict.FAIL, "all that is known"),
    ],
)
def test_where_no_call_failed_it_is_said_why(shell: Shell, verdict: Verdict, said: str) -> None:
    heard = GradingEvents(reports=[report(TierResult("shapes", "-", (check("a", verdict, 100),)))])
    with pytest.raises(GraderError, match=said):
        SelfStudy(shell, lambda: heard).failed("")


def test_a_comment_of_ones_own_is_no_example() -> None:
    assert EXAMPLE.startswith(COMMENT)
    assert ["# Examples of mine\n"] == _marked(["# Examples of mine\n"])


def test_two_cells_of_one_text_are_two_cells(shell: Shell) -> None:
    for cell_id in ("a", "b", "a"):
        shell.type("x = 1", cell_id)
    assert (of_kernel("x = 1", 3), of_kernel("x = 1", 2)) == shell.cells


def test_a_cell_whose_newest_run_was_a_syntax_error_is_graded_as_that(shell: Shell) -> None:
    shell.type("def f(): return 1", "a")
    shell.type("def f(:", "a")
    assert (of_kernel("def f(:", 2),) == shell.cells


def test_where_cells_have_no_ids_a_text_that_runs_again_counts_once(shell: Shell) -> None:
    for source in ("import math", "x = 1", "import math", "x = 2"):
        shell.type(source)
    assert (of_kernel("import math", 3), of_kernel("x = 1", 2), of_kernel("x = 2", 4)) == shell.cells


def test_what_ran_before_the_magics_were_loaded_counts_too(judge: FakeProcess) -> None:
    shell = InteractiveShell(config=Config({"HistoryManager": {"hist_file": ":memory:"}}))
    for source, cell_id in (("import math", "a"), ("x = 1", "b")):
        shell.run_cell(source, store_history=True, cell_id=cell_id)
    ran = RunCells(shell)
    shell.run_cell("import math", store_history=True, cell_id="a")
    shell.run_cell("import math", store_history=True, cell_id="a")
    assert (of_kernel("import math", 4), of_kernel("x = 1", 2)) == tuple(
        replace(run.cell, seconds=None) for run in ran.runs
    )


def test_what_a_front_end_runs_for_itself_is_no_cell(shell: Shell) -> None:
    shell.run_cell("x = 1", store_history=False)
    assert () == shell.cells


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("x = 1\n%pwd\nfor _ in range(3):\n    while x:\n        stop()\ny = 2", "x = 1\n%pwd\n# interrupted here"),
        ("def f():\n    stop()\nf(\n)", "def f():\n    stop()\n# interrupted here"),
        ("%%time\nstop()", "# interrupted here"),
    ],
)
def test_a_cell_is_graded_no_further_than_where_it_was_interrupted(shell: Shell, cell: str, expected: str) -> None:
    for source in ("def stop():\n    raise KeyboardInterrupt", cell, "z = 3"):
        shell.type(source)
    assert [expected, "z = 3"] == [each.source for each in shell.cells][1:]


# What %grade asks, prints and writes


def test_grade_hands_over_the_cells_and_what_was_typed(
    shell: Shell, judge: FakeProcess, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    shell.type("x = 1")
    shell.grade("plain --seed 3 --reveal all --tier weight_sums --check-seconds 2")
    ((request, settings),) = judge.requests
    (cell,) = request.cells
    assert (tmp_path / "notebook.ipynb", of_kernel("x = 1", 1)) == (
        request.path,
        replace(cell, seconds=None, is_excused=False),
    )
    assert cell.is_excused
    assert ("plain", 3, True, ("weight_sums",)) == (request.kata, request.seed, request.reveal, request.tiers)
    assert Settings(Limits(check_s=2.0)) == settings


def test_grade_prints_the_report_and_the_magic_to_run_next(shell: Shell, capsys: pytest.CaptureFixture[str]) -> None:
    shell.type("x = 1")
    shell.grade()
    said = capsys.readouterr().out
    assert said.startswith("plain   notebook.ipynb   seed 7\n")
    assert said.endswith("\nrun next: %grade plain --tier weight_sums --allow sdpa --seed 7\n%hint gives a hint.\n")


def test_grade_writes_files_below_the_notebooks_folder(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    shell.type("x = 1")
    shell.grade("--json 'my r.json'")
    assert '"kata": "plain"' in (tmp_path / "my r.json").read_text()


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("--seed x", "argument --seed: x is not a whole number from 0"),
        ("plain b", "unrecognized arguments: b"),
        ("'a", "'a cannot be read as words (No closing quotation): close the quotation."),
        ("--json gone/r.json", "gone/r.json cannot be written, its folder gone does not exist: make it first."),
    ],
)
def test_grade_refuses_what_it_cannot_read(shell: Shell, judge: FakeProcess, line: str, expected: str) -> None:
    shell.type("x = 1")
    with pytest.raises(GraderError) as error:
        shell.grade(line)
    assert (expected, []) == (str(error.value), judge.requests)


def test_the_help_of_grade_ends_no_kernel(shell: Shell, capsys: pytest.CaptureFixture[str]) -> None:
    shell.grade("--help")
    assert "usage: %grade" in capsys.readouterr().out


def test_grade_before_any_cell_was_run(shell: Shell) -> None:
    for source in ("%pwd", "# a comment\n"):
        shell.type(source)
    with pytest.raises(GraderError, match="no cell has been run yet: run the cells above, then this one again"):
        shell.grade()


# The judge's process


@pytest.fixture
def real() -> Iterator[Shell]:
    shell = Shell(JudgeProcess())
    yield shell
    shell.judge.close()


@pytest.mark.slow
def test_a_notebook_is_graded_as_the_kernel_holds_it(real: Shell, capsys: pytest.CaptureFixture[str]) -> None:
    real.type("import math\nimport torch", "imports")
    real.type(CLASS, "class")
    real.type("import math\nimport torch", "imports")
    real.grade("--tier shapes")
    assert "1 of 1 tiers passed" in capsys.readouterr().out
    first = real.judge._process
    real.type(f"{CLASS}\ndef f(:", "class")
    real.grade("scaled_dot_product --tier shapes")
    said = " ".join(capsys.readouterr().out.split())
    assert "In [4] raised SyntaxError: " in said
    assert 1 == said.count("(In [4]")
    assert first is real.judge._process, "the process is kept"
    with pytest.raises(GraderError, match='There is no kata "scafold": did you mean scaffold'):
        real.grade("scafold")
    assert first is real.judge._process


@pytest.mark.slow
def test_a_grading_that_is_interrupted_ends_its_process_and_the_next_one_starts_another(
    real: Shell, capsys: pytest.CaptureFixture[str]
) -> None:
    """What the process would go on to say is not the answer to the next request."""
    events = real.judge.events(Request(cells=(Cell(CLASS, 1),), tiers=("shapes",)), Settings())
    assert Intake is type(next(events))
    first = real.judge._process
    assert first is not None
    events.close()
    assert -signal.SIGKILL == first.poll()
    real.type(CLASS)
    real.grade("--tier shapes")
    assert "1 of 1 tiers passed" in capsys.readouterr().out


def test_a_judge_that_dies_is_told_with_its_last_words(real: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.executable", "/bin/sh")
    real.type("x = 1")
    with pytest.raises(GraderError, match=r"^The grader failed, not your submission\. Its process ended:\n/bin/sh: .+"):
        real.grade()


# The magics themselves


def refused(shell: InteractiveShell, magic: str, line: str) -> str:
    with pytest.raises(UsageError) as caught:
        shell.run_line_magic(magic, line)
    return str(caught.value)


def test_the_magics_outside_of_a_notebook() -> None:
    with pytest.raises(GraderError) as caught:
        jupyter.load_ipython_extension(None)
    assert "grader.jupyter works in a notebook only: write %load_ext grader.jupyter in a cell" == str(caught.value)


def test_what_a_magic_refuses_is_said_in_a_sentence(
    shell: Shell, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(self: JudgeProcess, request: Request, settings: Settings) -> None:
        raise KeyboardInterrupt

    jupyter.load_ipython_extension(shell)
    assert "argument --seed: x is not a whole number from 0" == refused(shell, "grade", "--seed x")
    monkeypatch.setattr(JudgeProcess, "events", interrupted)
    shell.type("x = 1")
    shell.run_line_magic("grade", "")
    assert "interrupted: nothing was graded\n" == capsys.readouterr().out


@pytest.mark.slow
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


@pytest.mark.slow
def test_weights_that_are_nan_are_said_and_leave_the_others_in_colour() -> None:
    weights = torch.rand(2, 3, 4)
    weights[1, 2], weights[0, 0, 0] = torch.nan, 0.99
    figure = heatmap("w", weights)
    scales = [axes.images[0].get_clim() for axes in figure.axes if axes.images]
    assert "grey: NaN or infinite, 4 of 24" == figure.get_supxlabel()
    assert [(0.0, pytest.approx(0.99))] * 2 == scales[:2]


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
def test_what_cannot_be_drawn(shell: Shell, line: str, expected: str) -> None:
    jupyter.load_ipython_extension(shell)
    shell.push({"none": None, "row": torch.rand(4), "none_left": torch.rand(0, 3)})
    assert expected == refused(shell, "show_weights", line)


@pytest.mark.parametrize(
    "typed",
    [
        "%grade scaff",
        "%hint scaff",
        "%solution scaff",
        "check('scaff",
        'hint("scaff',
        "hint(kata='scaff",
        "solution('scaff",
    ],
)
def test_the_names_of_katas_are_completed(shell: Shell, typed: str) -> None:
    jupyter.load_ipython_extension(shell)
    assert ("scaff", ["scaffold"]) == shell.complete(None, typed)


def test_opening_a_notebook_leaves_its_file_as_it_was() -> None:
    """JupyterLab adds what the kernel says of its language, and saves that by itself."""
    language_info = {"name": "python", "version": "3.13.1", "file_extension": ".py"}
    model = {"type": "notebook", "content": {"metadata": {"kata": "scaffold", "language_info": language_info}}}
    before_save(model=model, path="scaffold.ipynb", contents_manager=None)
    assert {"kata": "scaffold", "language_info": {"name": "python"}} == model["content"]["metadata"]
    before_save(model={"type": "file", "content": "x"})


def test_after_a_full_score_comes_the_next_kata_as_a_link(
    shell: Shell, judge: FakeProcess, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    judge.advice = Advice(NextRun("module"))
    shell.type("x = 1")
    shell.grade()
    assert capsys.readouterr().out.endswith("next kata: module (module.ipynb)\n")


# Which cells make the answer


def selection(*cells: Cell) -> tuple[list[int | None], AnswerCells]:
    """The cells that are kept, and what is said of them, for a kata that asks for `Layer` and gives `Config`."""
    needed = RequiredName("Config", "class", supplied="class Config: ..."), RequiredName("Layer", "class")
    handed = Submission(Path("n.ipynb"), "", cells, is_notebook=True)
    kept, answer = split_answer(handed, Contract("kata", needed))
    return [cell.number for cell in kept.cells], answer


def test_the_answer_is_what_is_asked_for_and_what_that_uses() -> None:
    kept, answer = selection(
        Cell("import math", 1),
        Cell("def helper(x): return math.sqrt(x)", 2),
        Cell("class Layer:\n    def forward(self, x): return helper(x)", 3),
        Cell("scratch = Layer()", 4),
    )
    assert [1, 2, 3, 4] == kept
    assert AnswerCells((NameInCell("Layer", 3),), (NameInCell("helper", 2), NameInCell("math", 1))) == answer


@pytest.mark.parametrize(
    ("source", "seconds", "left_out"),
    [
        ("losses = train(Layer())", 9.0, True),
        ("losses = train(Layer())", 0.1, False),
        ("losses = train(Layer())", None, False),
        ("size = measured()", 9.0, False),
        ("Layer.forward = attend", 9.0, False),
        ("setattr(Layer, 'forward', attend)", 9.0, False),
        ("get_ipython().run_line_magic('show_weights', 'w')", 9.0, False),
        ("def f(:", 9.0, False),
    ],
)
def test_a_slow_cell_is_left_out_where_the_answer_needs_nothing_of_it(
    source: str, seconds: float | None, left_out: bool
) -> None:
    kept, answer = selection(Cell("class Layer:\n    def forward(self, x): return size", 1), Cell(source, 2, seconds))
    assert ([1], (2,)) == (kept, answer.left_out) if left_out else ([1, 2], ()) == (kept, answer.left_out)
