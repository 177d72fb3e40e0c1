"""In a real kernel, driven as JupyterLab drives it: what is graded is what the notebook holds."""

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from grader.stubs.solution_cells import EXAMPLE
from grader.stubs.writer import notebook
from tests.kernel import ROOT, SETUP, Kernel

KATA = "scaled_dot_product"
IMPORTS = "import math\nimport torch\nfrom torch import Tensor"
GRADE = f"%grade {KATA} --tier shapes,parity"


def stub(*, solved: bool) -> str:
    """The kata's cell to write."""
    return str(next(cell.source for cell in notebook(KATA, ROOT, solved=solved).cells if cell.id == "stub-1"))


OURS = stub(solved=True)
HELPER = "def scale(scores, size):\n    return scores / math.sqrt(size)"


@pytest.fixture(scope="module")
def shared() -> Iterator[Kernel]:
    with Kernel() as kernel:
        assert kernel.run(SETUP, "setup").ok
        yield kernel


@pytest.fixture
def kernel(shared: Kernel) -> Kernel:
    """With the notebook run once, and nothing of an earlier test's."""
    known = ("imports", "class", "helper", "scratch", "grade")
    for cell, source in {"imports": IMPORTS, "class": OURS, "helper": "", "scratch": "x = 1"}.items():
        assert shared.run(source, cell, [each for each in known if each not in ("imports", "class")]).ok
    return shared


def notes(text: str) -> list[str]:
    """The notes of a report, each in one line."""
    whole = re.sub(r"\n {8}", " ", text)
    return re.findall(r"^  note  (.*)$", whole, re.MULTILINE)


@pytest.mark.slow
def test_imports_run_again(kernel: Kernel) -> None:
    kernel.run(IMPORTS, "imports")
    shown = kernel.run(GRADE, "grade").text
    assert re.match(r"graded: scaled_dot_product_attention of In \[\d+\]\n", shown)
    assert "2 of 2 tiers passed" in shown
    assert [] == notes(shown)


@pytest.mark.slow
def test_edit_and_run_all_three_times_gives_no_note(kernel: Kernel) -> None:
    wrong = OURS.replace("math.sqrt(", "abs(")
    assert wrong != OURS
    for source, expected in ((stub(solved=False), "not written yet"), (wrong, "FAIL"), (OURS, "2 of 2 tiers passed")):
        for cell, text in {"setup": SETUP, "imports": IMPORTS, "class": source, "scratch": "x = 2"}.items():
            assert "" == kernel.run(text, cell).text
        shown = kernel.run(GRADE, "grade").text
        assert expected in shown
        assert [] == notes(shown)


def test_right_then_a_syntax_error(kernel: Kernel) -> None:
    assert not kernel.run(f"{OURS}\n)", "class").ok
    shown = kernel.run(GRADE, "grade").text
    assert "not graded" in shown
    said = " ".join(shown.split())
    cause = r"In \[\d+\] raised SyntaxError: .*, so the cells that were run define no function "
    assert re.search(cause, said), said


@pytest.mark.slow
def test_a_cell_whose_helper_was_deleted(kernel: Kernel) -> None:
    ours = re.sub(r"(q @ .*?) / math\.sqrt\(([^)]*\))\)", r"scale(\1, \2)", OURS)
    assert ours != OURS
    kernel.run(HELPER, "helper")
    kernel.run(ours, "class")
    assert [] == notes(kernel.run(GRADE, "grade").text)
    shown = kernel.run(GRADE, "grade", ["helper"]).text
    assert "2 of 2 tiers passed" in shown
    (said,) = notes(shown)
    gone = r"scale comes from In \[\d+\], a cell that the notebook no longer holds: handed in, this scores 0"
    assert re.fullmatch(gone, said)


@pytest.mark.slow
def test_a_slow_scratch_cell_is_left_out(kernel: Kernel) -> None:
    kernel.run("import time\ntime.sleep(2.1)\nlosses = [scaled_dot_product_attention]", "scratch")
    kernel.run("print(losses)", "helper")
    shown = kernel.run(GRADE, "grade").text
    assert "2 of 2 tiers passed" in shown
    (said,) = notes(shown)
    assert re.fullmatch(r"In \[\d+\] ran \d\S* s and defines nothing that the answer uses: it was left out", said)


@pytest.mark.deep
def test_what_fails_in_the_sandbox_alone_is_no_note(kernel: Kernel) -> None:
    assert kernel.run("print(len(open('/etc/passwd').read()) > 0)", "scratch").ok
    assert [] == notes(kernel.run(GRADE, "grade").text)
    assert not kernel.run("1 / 0", "scratch").ok
    assert ["ZeroDivisionError" in note for note in notes(kernel.run(GRADE, "grade").text)] == [True]


def test_a_missing_name_is_not_blamed_on_a_cell_that_ran_well(kernel: Kernel) -> None:
    """Files can be read in the kernel alone. Where that cell defines the name, what it raised is why."""
    reads = "text = open('index.ipynb').read()"
    assert kernel.run(reads, "helper").ok
    kernel.run("pass", "class")
    missing = "The cells that were run define no function scaled_dot_product_attention. Run the cells above, then"
    shown = " ".join(kernel.run(GRADE, "grade").text.split())
    assert missing in shown
    assert "Before that" not in shown
    needs_it = OURS.replace("def scaled", "@(text and (lambda given: given))\ndef scaled")
    assert kernel.run(f"{reads}\n{needs_it}", "class").ok
    said = " ".join(kernel.run(GRADE, "grade").text.split())
    assert re.search(r"In \[\d+\] raised \w+Error.*, so the cells that were run define no function", said), said


def test_what_the_functions_refuse_is_a_sentence(kernel: Kernel) -> None:
    kernel.run("from grader.jupyter import check, hint, solution", "scratch")
    for call in ("check", "hint", "solution"):
        shown = kernel.run(f"{call}('scafold')", "helper").text
        assert 'UsageError: There is no kata "scafold": did you mean scaffold?' in shown
    assert "Traceback" not in shown


@pytest.mark.slow
def test_where_many_values_are_right_the_failing_call_says_what_is_asked(kernel: Kernel) -> None:
    """NaN where any finite value would do."""
    kernel.run(OURS.replace(".masked_fill(hidden, 0.0)", ""), "class")
    assert "FAIL  nan safety" in kernel.run(f"%grade {KATA} --tier nan_safety", "grade").text
    shown = kernel.run("%failed", "helper").text
    assert re.search(r"^  failed\.expected    None: a finite value at \[.*\]\n  failed\.got  ", shown, re.MULTILINE)


def test_columns_stand_below_each_other(kernel: Kernel) -> None:
    kernel.run(OURS.replace("math.sqrt(", "abs("), "class")
    kernel.run(GRADE, "grade")
    assert "monospace" in kernel.run("%failed", "helper").html


@pytest.mark.slow
def test_hint_failed_and_solution(kernel: Kernel) -> None:
    kernel.run(OURS.replace("math.sqrt(", "(print('seen') or abs)("), "class")
    assert "FAIL  parity" in kernel.run(GRADE, "grade").text
    first = kernel.run("%hint", "a").text
    second = kernel.run("from grader.jupyter import check, hint, solution\nhint()", "b").text
    assert first.startswith("**Hint ")
    assert second.startswith("**Hint ")
    assert first != second
    shown = kernel.run("%failed", "a").text
    assert shown.startswith("parity: ")
    assert "  compared           weights\n" in shown
    assert "  | seen" in shown
    again = (
        "torch.equal(scaled_dot_product_attention(**failed.inputs)[1], failed.got), failed.got.equal(failed.expected)"
    )
    assert "(True, False)" in kernel.run(again, "a").text
    assert f"%solution {KATA} --yes shows ours all the same" in kernel.run("%solution", "a").text
    assert "```python" in kernel.run("%solution --yes", "a").text
    shown = kernel.run("check(options='--tier shapes')", "a").text
    assert "graded: scaled_dot_product_attention" in shown
    assert [] == notes(shown)


@pytest.mark.deep
def test_an_interrupt_shows_the_tiers_judged_so_far(kernel: Kernel) -> None:
    kernel.run(OURS.replace("    scores", "    [torch.rand(10) for _ in range(20_000)]\n    scores", 1), "class")
    running = kernel.send(f"%grade {KATA}", "grade")
    for kind, content in kernel.messages(running):
        if kind == "update_display_data" and ", 1 checks judged" in content["data"]["text/plain"]:
            kernel.interrupt()
        if kind == "update_display_data":
            last = content["data"]["text/plain"]
    assert last.startswith("interrupted; judged so far:\n  PASS  shapes: ")
    kernel.run(OURS, "class")
    assert "2 of 2 tiers passed" in kernel.run(GRADE, "grade").text


@pytest.mark.deep
def test_the_set_up_works_from_any_folder_that_finds_the_grader(tmp_path: Path) -> None:
    """In the kernel of `.venv`, whose path has the repository."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with Kernel(tmp_path, environment) as kernel:
        for _ in range(2):
            assert (True, "") == (lambda shown: (shown.ok, shown.text))(kernel.run(SETUP, "setup"))
        assert "kata" in kernel.run("%progress", "a").text


def test_an_example_tells_its_error_in_a_line(kernel: Kernel) -> None:
    shown = kernel.run(f"{EXAMPLE}\ny = len(In) - 1\nz = undefined[0]\nw = 2", "scratch")
    assert shown.ok
    number = kernel.run(f"{EXAMPLE}\ny", "scratch").text
    assert f"NameError: name 'undefined' is not defined (In[{number}], line 3: z = undefined[0])" == shown.text


def test_an_example_with_a_syntax_error_does_not_stop_the_run(kernel: Kernel) -> None:
    shown = kernel.run(f"{EXAMPLE}\ny = 1\nprint(y", "scratch")
    assert (True, "SyntaxError: '(' was never closed (line 3: print(y)") == (shown.ok, shown.text)
