"""`grade-all`: what it writes, that it goes on where it was stopped, who is alike, and what is no submission."""

import csv
import errno
import json
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from copy import deepcopy
from itertools import combinations
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import nbformat
import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell

from grader import batch
from grader.batch import folder, pace
from grader.batch.alike import groups
from grader.batch.ours import read_given, solutions
from grader.batch.overview import render
from grader.batch.pace import duration, sentence
from grader.batch.row import row_of
from grader.batch.tables import scores
from grader.core import jobs
from grader.records import Cell, TierResult, Verdict
from grader.stubs.writer import notebook, stub
from grader.submission.decode import decode
from grader.submission.likeness import NEARLY, RENAMED, SAME, Sketch, alike, sketch
from tests.fakes import FUNCTION_SOURCE, CommandResult, FakeJudge, check, report
from tests.fakes import notebook as book_of
from tests.grading import BY_NAME, ROOT, solution
from tests.test_html import measured

Put = Callable[[str, str | bytes], Path]
Run = Callable[..., CommandResult]


@pytest.fixture
def stack(put: Put) -> Path:
    put("stack/ann/mha.py", f"{FUNCTION_SOURCE}# score 40")
    put("stack/bo/mha.py", f"{FUNCTION_SOURCE}# score 100")
    return put("stack/cy/mha.py", "def f(:").parent.parent


def table(out: Path) -> dict[str, dict[str, str]]:
    """scores.csv, by the submission."""
    with (out / "scores.csv").open(encoding="utf-8") as file:
        return {row["submission"]: row for row in csv.DictReader(file)}


# What is written


def test_a_stack_has_a_report_for_each_and_tables(run: Run, stack: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    ran = run("grade-all", stack, "--out", out, "--seed", 1)
    assert 1 == ran.status
    assert ran.out.startswith("3 submissions: 1 with all points, 1 could not be graded; mean score of the others 70\n")
    assert "graded 3 of 3" in ran.err
    for name in ("ann", "bo", "cy"):
        written = json.loads((out / "reports" / name / "mha.py" / "report.json").read_text())
        assert f"{name}/mha.py" == written["submission"]
        assert b"Content-Security-Policy" in (out / "reports" / name / "mha.py" / "report.html").read_bytes()
    rows = table(out)
    assert ["ann/mha.py", "bo/mha.py", "cy/mha.py"] == list(rows)
    assert ("40", "100", "0", "does not hold: Values agree.") == (
        rows["ann/mha.py"]["weight sums"] and rows["ann/mha.py"]["score"],
        rows["bo/mha.py"]["score"],
        rows["ann/mha.py"]["weight sums"],
        rows["ann/mha.py"]["reason"],
    )
    assert rows["cy/mha.py"]["reason"].startswith("cy/mha.py:1: syntax error")
    page = (out / "index.html").read_text()
    assert '<a href="reports/ann/mha.py/report.html">ann/mha.py</a>' in page
    assert "default-src &#x27;none&#x27;" in page or "default-src 'none'" in page
    suites = ElementTree.parse(out / "junit.xml").getroot()
    assert ["ann/mha.py", "bo/mha.py", "cy/mha.py"] == [suite.get("name") for suite in suites]
    assert all(float(suite.get("time", "")) >= 0 for suite in suites)


def test_an_untouched_stub_is_told_as_that_and_not_by_its_first_claim() -> None:
    untouched = report(TierResult("shapes", "-", (check("a", Verdict.TODO), check("b", Verdict.TODO))))
    assert "not written yet" == row_of(untouched, None).reason


def test_what_ended_a_check_is_the_reason_and_not_its_claim() -> None:
    raised = check("a", Verdict.ERROR, got="ValueError: no")
    assert "ValueError: no" == row_of(report(TierResult("shapes", "-", (raised,))), None).reason


@pytest.mark.parametrize("name", ["=cmd()", "+1", "-1", "@x"])
def test_no_name_is_a_formula_of_a_spreadsheet(name: str) -> None:
    row = row_of(report(submission=f"{name}.py"), None)
    assert f"\n'{name}.py," in scores([row])


def test_no_name_and_no_sentence_is_markup_of_the_page() -> None:
    nasty = '<img src=x onerror="alert(1)">'
    bad = check("values_agree", Verdict.FAIL, mistakes=(nasty,))
    row = row_of(report(TierResult("parity", "p", (bad,)), submission=f"{nasty}.py"), None)
    page = render([row], {nasty: [nasty]}, {row.submission: f"reports/{row.submission}"}, {}).decode()
    assert "<img" not in page
    assert "&lt;img" in page


def test_wrong_use(run: Run, tmp_path: Path, put: Put) -> None:
    ran = run("grade-all", tmp_path / "gone", "--out", tmp_path / "out")
    assert (2, True) == (ran.status, "is no folder and no .zip file of submissions" in ran.err)
    ran = run("grade-all", " ", "--out", "")
    assert (2, True) == (ran.status, "make grade-all DIR=submissions OUT=graded" in ran.err)
    ran = run("grade-all", put("stack/a.py", FUNCTION_SOURCE).parent, "--out", put("file", ""))
    assert (2, True) == (ran.status, "cannot be written to" in ran.err)


def test_somebody_elses_tables_are_not_written_over(run: Run, stack: Path, put: Put) -> None:
    theirs = put("marks/scores.csv", "ann,5\n")
    ran = run("grade-all", stack, "--out", theirs.parent)
    sentence = "holds scores.csv and no graded.jsonl, so a stack was not graded into it: choose a new folder."
    assert (2, f"{theirs.parent} {sentence}\n") == (ran.status, ran.err)
    assert "ann,5\n" == theirs.read_text()


# It goes on

IN_THIS_PROCESS = ("--jobs", "1")
"""Where the fake judge counts what it was asked."""


def test_what_has_a_report_is_not_graded_again(run: Run, stack: Path, tmp_path: Path, judge: FakeJudge) -> None:
    out = tmp_path / "out"
    run("grade-all", stack, "--out", out, *IN_THIS_PROCESS)
    first, seen = table(out), len(judge.seen)
    assert 2 == seen
    again = run("grade-all", stack, "--out", out, *IN_THIS_PROCESS)
    assert ("graded 3 of 3, 2 of them before" in again.err, first) == (True, table(out))
    assert seen == len(judge.seen)
    (stack / "ann" / "mha.py").write_text(f"{FUNCTION_SOURCE}# score 50")
    run("grade-all", stack, "--out", out, *IN_THIS_PROCESS)
    assert (seen + 1, "50") == (len(judge.seen), table(out)["ann/mha.py"]["score"])
    run("grade-all", stack, "--out", out, "--tier", "shapes", *IN_THIS_PROCESS)
    assert seen + 3 == len(judge.seen)


def test_a_line_that_was_being_written_and_a_report_that_is_gone_are_made_anew(
    run: Run, stack: Path, tmp_path: Path, judge: FakeJudge
) -> None:
    out = tmp_path / "out"
    run("grade-all", stack, "--out", out, *IN_THIS_PROCESS)
    journal = out / folder.JOURNAL
    lines = journal.read_text().splitlines()
    journal.write_text("\n".join(lines[:-2]) + "\n" + lines[-1][:40])
    (out / "reports" / "ann" / "mha.py" / "report.html").unlink()
    seen = len(judge.seen)
    run("grade-all", stack, "--out", out, *IN_THIS_PROCESS)
    assert seen + 2 == len(judge.seen)
    assert (out / "reports" / "ann" / "mha.py" / "report.html").is_file()


def test_after_ctrl_c_there_are_tables_of_what_was_graded(
    run: Run, stack: Path, tmp_path: Path, judge: FakeJudge
) -> None:
    (stack / "bo" / "mha.py").write_text(f"{FUNCTION_SOURCE}# ctrl-c")
    ran = run("grade-all", stack, "--out", tmp_path / "out", *IN_THIS_PROCESS)
    assert (130, ["ann/mha.py"]) == (ran.status, list(table(tmp_path / "out")))
    assert "1 graded, then interrupted: the same command goes on from there\n" == ran.out


@pytest.mark.deep
def test_a_run_that_was_killed_leaves_no_process_and_goes_on(tmp_path: Path) -> None:
    (tmp_path / "stack").mkdir()
    for number in range(12):
        (tmp_path / "stack" / f"{number:02}.py").write_text(f"{solution('scaled_dot_product')}# {number}\n")
    command = [sys.executable, "-m", "grader", "grade-all", str(tmp_path / "stack"), "--out", str(tmp_path / "out")]
    command += ["--jobs", "2"]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    journal, deadline = tmp_path / "out" / folder.JOURNAL, time.monotonic() + 120
    while not journal.exists() or len(journal.read_text().splitlines()) < 4:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    process.kill()
    process.wait()
    while left := [each for each in commands() if str(tmp_path / "stack") in each]:
        assert time.monotonic() < deadline, left
        time.sleep(0.05)
    done = {path: path.stat().st_mtime_ns for path in (tmp_path / "out" / "reports").rglob("report.html")}
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ran.stdout.startswith("12 submissions: 12 with all points"), ran.stdout + ran.stderr
    count = len(journal.read_text().splitlines())
    assert 13 == count
    kept = [path for path, written in done.items() if path.stat().st_mtime_ns == written]
    assert len(kept) >= 3


@pytest.mark.slow
@pytest.mark.parametrize("source", ["while True: pass\n", "while True: print('again')\n"], ids=["hangs", "prints"])
def test_a_submission_that_does_not_end_holds_one_process_and_no_other(tmp_path: Path, source: str) -> None:
    stack, out = tmp_path / "stack", tmp_path / "out"
    stack.mkdir()
    (stack / "0.py").write_text(source + solution("scaled_dot_product"))
    for number in (1, 2, 3):
        (stack / f"{number}.py").write_text(f"{solution('scaled_dot_product')}# {number}\n")
    command = [sys.executable, "-m", "grader", "grade-all", str(stack), "--out", str(out), "--jobs", "2"]
    options = ["--kata", "scaled_dot_product", "--tier", "shapes", "--load-seconds", "60"]
    process = subprocess.Popen([*command, *options], cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 120
    while not (out / folder.JOURNAL).exists() or len((out / folder.JOURNAL).read_text().splitlines()) < 4:
        assert (None, True) == (process.poll(), time.monotonic() < deadline)
        time.sleep(0.05)
    process.kill()
    process.wait()
    assert {"1.py", "2.py", "3.py"} == {path.parent.name for path in out.rglob("report.json")}


def commands() -> Iterator[str]:
    """Of the processes that run now."""
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            yield path.read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue


# Progress


def test_progress_has_a_rate_and_the_time_left() -> None:
    assert "graded 12 of 300; 3 a second, 1 min 36 s left" == sentence(12, 300, 4.0, [1.0] * 12)
    assert "graded 42 of 300, 40 of them before; 0.5 a second, 8 min 36 s left" == sentence(42, 300, 4.0, [2.0] * 2)
    assert "graded 40 of 300, 40 of them before" == sentence(40, 300, 0.1, [])
    assert ["5 s", "1 min 20 s", "2 h 5 min"] == [duration(seconds) for seconds in (5.2, 80, 7500)]


def test_the_time_left_is_of_the_usual_submission_where_a_few_hang() -> None:
    times = [*[2.0] * 18, 120.0, 120.0]
    assert "graded 20 of 300; 1 a second, 4 min 40 s left" == sentence(20, 300, 138.0, times)


def test_progress_without_a_terminal_is_a_line_now_and_then(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    now = iter([0.0, 1.0, 11.0, 12.0, 13.0])
    monkeypatch.setattr(pace.time, "monotonic", lambda: next(now))
    shown = pace.Pace(sys.stderr, 4)
    for name in "abcd":
        shown.next(name, 1.0)
    assert ["graded 2 of 4", "graded 4 of 4"] == [line.split(";")[0] for line in capsys.readouterr().err.splitlines()]


def test_the_comparison_of_many_is_announced(
    run: Run, stack: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    announced = "comparing the submissions with one another ...\n"
    assert announced not in run("grade-all", stack, "--out", tmp_path / "few").err
    monkeypatch.setattr(batch, "MANY", 2)
    assert announced in run("grade-all", stack, "--out", tmp_path / "many").err


# Who is alike


def test_copies_are_told_from_what_anybody_writes() -> None:
    source = solution("scaffold")
    ours = sketch_of("scaffold", source)
    others = {
        SAME: "# my own work\n" + source.replace('    """Multi-head', '    """My'),
        RENAMED: source.replace("attn_logits", "scores").replace("head_dim", "size"),
        NEARLY: source.replace(" / math.sqrt(self.head_dim)", ""),
    }
    assert list(others) == [alike(ours, sketch_of("scaffold", each)) for each in others.values()]
    for path in sorted((ROOT / "tests" / "correct" / "scaffold").glob("*.py")):
        assert None is alike(ours, sketch_of("scaffold", path.read_text())), path.name


def sketch_of(kata: str, source: str | NotebookNode) -> Sketch:
    """Of a .py file's text, or of a notebook."""
    if isinstance(source, str):
        return sketch([Cell(source)], read_given(kata))
    return sketch(decode(Path("candidate.ipynb"), nbformat.writes(source).encode()).cells, read_given(kata))


@pytest.mark.parametrize("kata", BY_NAME)
def test_a_notebook_is_held_against_a_file_by_what_was_written_in_it(kata: str) -> None:
    book = notebook(kata, ROOT, solved=True)
    ours, others = sketch_of(kata, solution(kata)), sketch_of(kata, book)
    assert (SAME, SAME) == (alike(ours, others), alike(solutions([kata])[kata], others))
    book.cells[0].source = book.cells[0].source.replace("..", "/home/ann/katas")
    book.cells[-1].source += " --reveal all"
    assert alike(ours, sketch_of(kata, book)) in (SAME, NEARLY)


@pytest.mark.parametrize("kata", BY_NAME)
def test_what_nobody_wrote_in_is_like_nothing(kata: str) -> None:
    book = notebook(kata, ROOT)
    touched = deepcopy(book)
    touched.cells[-1].source += " --reveal all"
    touched.cells.append(new_code_cell("print(N, L)"))
    file, *books = (sketch_of(kata, each) for each in (stub(kata, ROOT), book, touched))
    assert [None] * 3 == [alike(one, other) for one, other in combinations((file, *books), 2)]
    assert None is alike(books[1], books[1])


def test_groups_hang_together_and_name_our_solution() -> None:
    one, other = (sketch([Cell(solution(kata))]) for kata in ("scaffold", "rope"))
    rows = [
        row_of(report(submission=name), each)
        for name, each in (("a", one), ("b", other), ("c", one), ("d", other), ("e", None))
    ]
    assert [(SAME, ("a", "c"), None), (SAME, ("b", "d"), None)] == groups(rows, {})
    assert [(SAME, ("a", "c"), "plain"), (SAME, ("b", "d"), None)] == groups(rows, {"plain": one})


def test_the_same_ones_are_named_among_those_that_are_nearly_so() -> None:
    source = solution("scaffold")
    texts = {"a": source, "b": source.replace("logits", "scores"), "c": source}
    rows = [row_of(report(submission=name), sketch([Cell(text)])) for name, text in texts.items()]
    assert [(RENAMED, ("a", "b", "c"), None), (SAME, ("a", "c"), None)] == groups(rows, {})


@pytest.mark.deep
@pytest.mark.skipif(shutil.which("chromium") is None, reason="there is no Chromium")
@pytest.mark.parametrize("width", [390, 1280])
def test_the_page_on_a_stack_breaks_no_word_of_its_tables(width: int, tmp_path: Path) -> None:
    """Not in a phone's width either: there a table is scrolled."""
    failed = TierResult("weight sums", "-", (check("a", Verdict.FAIL, mistakes=("the mask " * 30,)),))
    rows = [row_of(report(failed, submission=f"lee_ann_1_{n}_module.py"), None) for n in range(3)]
    whole = render(rows, {}, {row.submission: "a" for row in rows}, {}).decode()
    page_width, head_height = measured(whole, width, tmp_path)
    assert width == page_width
    assert head_height < 60, "two lines"


# What is no submission

BESIDE = {
    "train.py": "from mha import attend\nepochs = 3\n",
    "main.py": "import mha\nmha.attend\n",
    "test_mha.py": "def test_it():\n    assert True\n",
    "conftest.py": "x = 1\n",
}


@pytest.mark.parametrize("options", [(), ("--kata", "function")])
def test_tests_and_programs_beside_an_answer_are_left_out(
    run: Run, put: Put, tmp_path: Path, options: Any, judge: FakeJudge
) -> None:
    for name, text in BESIDE.items():
        put(f"stack/ann/{name}", text)
    put("stack/ann/mha.py", FUNCTION_SOURCE)
    put("stack/bo/train.py", FUNCTION_SOURCE)  # the answer itself, whatever its name
    ran = run("grade-all", tmp_path / "stack", "--out", tmp_path / "out", *options)
    assert ["ann/mha.py", "bo/train.py"] == list(table(tmp_path / "out"))
    aside = ", ".join(f"ann/{name}" for name in sorted(BESIDE))
    assert f"left out, beside a submission: {aside}\n" in ran.out


def test_a_test_that_is_named_after_the_kata_is_no_submission(run: Run, put: Put, tmp_path: Path) -> None:
    """As pytest has it; nor is one in a folder of tests, or a program beside a folder of sources."""
    asks = "from function import attend\ndef test_it():\n    assert attend\n"
    put("stack/ann/function.py", FUNCTION_SOURCE)
    put("stack/ann/test_function.py", asks)
    put("stack/ann/train_function.py", "from function import attend\nepochs = 3\n")
    put("stack/ann/tests/test_it.py", asks)
    put("stack/bo/src/mha.py", FUNCTION_SOURCE)
    put("stack/bo/train.py", "from mha import attend\n")
    put("stack/cy/test_function.py", asks)  # all that was handed in
    put("stack/di/function.py", "def atend(q, k, v): ...\n")
    run("grade-all", tmp_path / "stack", "--out", tmp_path / "out")
    assert ["ann/function.py", "bo/src/mha.py", "cy/test_function.py", "di/function.py"] == list(
        table(tmp_path / "out")
    )


def test_they_are_left_out_where_canvas_put_those_of_all_people_together(run: Run, put: Put, tmp_path: Path) -> None:
    for number, (name, text) in enumerate(BESIDE.items()):
        put(f"stack/ann_LATE_1_{number}_{name.replace('.', '-1.')}", text)
    put("stack/ann_LATE_1_9_mha-1.py", FUNCTION_SOURCE)
    put("stack/bo_2_1_train.py", "from mha import attend\n")  # nobody knows whose `mha` that is
    ran = run("grade-all", tmp_path / "stack", "--out", tmp_path / "out")
    assert ["ann_LATE_1_9_mha-1.py", "bo_2_1_train.py"] == list(table(tmp_path / "out"))
    aside = sorted(path.name for path in (tmp_path / "stack").glob("ann_LATE_1_[0-8]_*"))
    assert f"left out, beside a submission: {', '.join(aside)}\n" in ran.out


def test_our_index_beside_the_notebooks_is_left_out(run: Run, put: Put, tmp_path: Path) -> None:
    index = (ROOT / "notebooks" / "index.ipynb").read_text()
    put("stack/ann/index.ipynb", index)
    put("stack/ann/function.ipynb", book_of(FUNCTION_SOURCE))
    put("stack/bo_1_2_index-1.ipynb", index)
    put("stack/bo_1_2_function.ipynb", book_of(FUNCTION_SOURCE))
    put("stack/cy_1_2_index.ipynb", book_of("%progress", "def atend(q, k, v): ..."))  # somebody's answer
    ran = run("grade-all", tmp_path / "stack", "--out", tmp_path / "out")
    assert ["ann/function.ipynb", "bo_1_2_function.ipynb", "cy_1_2_index.ipynb"] == list(table(tmp_path / "out"))
    assert "left out, beside a submission: ann/index.ipynb, bo_1_2_index-1.ipynb\n" in ran.out


def test_what_cannot_be_told_stays_where_it_may_be_somebody_s_answer(run: Run, put: Put, tmp_path: Path) -> None:
    put("stack/ann.py", FUNCTION_SOURCE)
    put("stack/bo.py", "def atend(q, k, v): ...\n")
    put("stack/cy/test_me.py", "x = 1\n")  # nothing else is in its folder
    run("grade-all", tmp_path / "stack", "--out", tmp_path / "out")
    rows = table(tmp_path / "out")
    assert ["ann.py", "bo.py", "cy/test_me.py"] == list(rows)
    assert rows["bo.py"]["reason"].endswith("did you mean attend? Say which it is for: KATA=NAME.")


def test_a_folder_in_which_nothing_can_be_graded_is_named(run: Run, put: Put, tmp_path: Path) -> None:
    put("stack/Lee Ann_1_assignsubmission_file_/mha.py", FUNCTION_SOURCE)
    put("stack/Poe Bo_2_assignsubmission_file_/mha.docx", "?")
    (tmp_path / "stack" / "Ray Cy_3_assignsubmission_file_").mkdir()
    ran = run("grade-all", tmp_path / "stack", "--out", tmp_path / "out")
    names = ["Poe Bo_2_assignsubmission_file_", "Ray Cy_3_assignsubmission_file_"]
    assert f"not read, no .py or .ipynb file in it: {', '.join(names)}\n" in ran.out
    assert all(f"<li>{name}</li>" in (tmp_path / "out" / "index.html").read_text() for name in names)


# What learning platforms export

BOOK, TEXT = book_of(FUNCTION_SOURCE), "?"
EXPORTS = {
    "Moodle": {
        "Lee Ann_101_assignsubmission_file_/mha.py": FUNCTION_SOURCE,
        "Poe Bo_102_assignsubmission_file_/my work.ipynb": BOOK,
        "Ray Cy_103_assignsubmission_file_/mha.docx": TEXT,
    },
    "Gradescope": {
        "assignment_7_export/submission_101/mha.py": FUNCTION_SOURCE,
        "assignment_7_export/submission_102/mha.ipynb": BOOK,
        "assignment_7_export/submission_103/mha.pdf": TEXT,
        "assignment_7_export/submission_metadata.yml": "---\nsubmission_101: {}\n",
    },
    "Canvas": {
        "leeann_101_201_mha.py": FUNCTION_SOURCE,
        "poebo_LATE_102_202_mha-1.ipynb": BOOK,
        "raycy_103_203_essay.docx": TEXT,
    },
}
"""Two answers and one text that is none, as each platform lays them out."""


@pytest.mark.parametrize(
    ("paths", "top"),
    [
        (["in/a/x.py", "in/b/x.py"], "in"),
        (["in/export/a/x.py", "in/export/b/x.py"], "in/export"),
        (["in/export/a/x.py", "in/export/y.py"], "in"),
        (["in/ann/x.py", "in/ann/y.py"], "in"),
        (["in/export/ann/x.py", "in/export/ann/y.py"], "in/export"),
        (["in/export/ann/x.py"], "in/export"),
        (["in/x.py", "in/y.py"], "in"),
        (["in/x.py"], "in"),
    ],
)
def test_a_name_leaves_out_the_folders_that_say_nothing_of_whose_it_is(paths: list[str], top: str) -> None:
    assert Path(top) == batch._top(Path("in"), paths)


def test_where_processes_can_share_nothing_a_stack_is_graded_in_one(
    run: Run, stack: Path, tmp_path: Path, judge: FakeJudge, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in a container without a /dev/shm that can be written."""

    def refused(*arguments: object) -> None:
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr(jobs, "_forked", refused)
    run("grade-all", stack, "--out", tmp_path / "out", "--jobs", 2)
    assert (2, 3) == (len(judge.seen), len(table(tmp_path / "out")))


@pytest.mark.parametrize("platform", EXPORTS)
def test_what_a_learning_platform_exports_is_graded_as_it_is(
    run: Run, put: Put, tmp_path: Path, judge: FakeJudge, platform: str
) -> None:
    for name, content in EXPORTS[platform].items():
        put(f"export/{name}", content)
    made = shutil.make_archive(str(tmp_path / "export"), "zip", tmp_path / "export")
    common = "assignment_7_export/" if platform == "Gradescope" else ""
    first, second, text, *_ = (name.removeprefix(common) for name in EXPORTS[platform])
    for number, stack in enumerate((tmp_path / "export", made)):
        ran = run("grade-all", stack, "--out", tmp_path / f"out {number}", *IN_THIS_PROCESS)
        scores = {name: row["score"] for name, row in table(tmp_path / f"out {number}").items()}
        assert {first: "100", second: "100"} == scores
        at_the_top = text.removesuffix("/mha.docx").removesuffix("/mha.pdf")
        assert f"\nnot read, no .py or .ipynb file in it: {at_the_top}\n" in ran.out
        judge.seen.clear()
        again = run("grade-all", stack, "--out", tmp_path / f"out {number}", *IN_THIS_PROCESS)
        assert ("graded 2 of 2, 2 of them before" in again.err, judge.seen) == (True, [])
