"""The notebooks hold what a self-learner needs, run to their end, and grade themselves."""

import re
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient
from nbformat import NotebookNode

from grader.core.hints import hints
from grader.stubs.solution_cells import EXAMPLE
from grader.stubs.writer import kata_names, notebook
from tests.grading import ATTENTION, BY_NAME, graded, read

ROOT = Path(__file__).resolve().parents[1]
NAMES = kata_names(ROOT)
WITHOUT_CROSS_ATTENTION = {name for name in NAMES if name not in ATTENTION or BY_NAME[name].streams == 1}
WITHOUT_MASK = {name for name in NAMES if name not in ATTENTION or not BY_NAME[name].formats}
WITH_A_PLOT = {"write_memory_benchmark"}


def committed(name: str) -> NotebookNode:
    return nbformat.read(ROOT / "notebooks" / f"{name}.ipynb", as_version=4)


def tagged(book: NotebookNode, *tags: str) -> list[NotebookNode]:
    return [cell for cell in book.cells if cell.metadata.tags[0] in tags]


def text_of(cells: list[NotebookNode], kind: str) -> str:
    return "\n".join(cell.source for cell in cells if cell.cell_type == kind)


# What stands in a notebook


@pytest.mark.parametrize("name", NAMES)
def test_a_notebook_is_valid_and_has_never_run(name: str) -> None:
    book = committed(name)
    nbformat.validate(book)
    assert name == book.metadata.kata
    assert "python3" == book.metadata.kernelspec.name
    assert len(book.cells) == len({cell.id for cell in book.cells})
    assert [] == [cell for cell in book.cells if cell.get("outputs") or cell.get("execution_count")]


@pytest.mark.parametrize("name", NAMES)
def test_a_notebook_keeps_its_order(name: str) -> None:
    tags = [cell.metadata.tags[0] for cell in committed(name).cells]
    expected = "setup statement notebook axes hints write stub scratch notebook grade".split()
    assert expected == [tag for place, tag in enumerate(tags) if place == 0 or tags[place - 1] != tag]


@pytest.mark.parametrize("name", NAMES)
def test_a_notebook_states_its_task(name: str) -> None:
    statement = text_of(tagged(committed(name), "statement", "notebook"), "markdown")
    assert statement.startswith("# ")
    assert re.search(r"^\| mask.*\|$", statement, re.MULTILINE)
    assert r"\mathrm{softmax}" in statement
    assert "Vaswani et al." in statement
    assert "| `L` (`T`) | length of the queries |" in text_of(tagged(committed(name), "axes"), "markdown")


@pytest.mark.parametrize("name", NAMES)
def test_hints_are_folded(name: str) -> None:
    hints = text_of(tagged(committed(name), "hints"), "markdown")
    summaries = re.findall(r"<details[^>]*><summary>Hint (\d): .+</summary>", hints)
    assert [str(number) for number in range(1, len(summaries) + 1)] == summaries
    assert len(summaries) >= 4
    assert len(summaries) == hints.count("</details>")


@pytest.mark.parametrize("name", NAMES)
def test_the_scratch_cell_has_the_classic_data(name: str) -> None:
    scratch = text_of(tagged(committed(name), "scratch"), "code")
    assert "torch.manual_seed(42)" in scratch
    assert "N, L, S, E, H = 3, 4, 4, 8, 2" in scratch
    assert 3 == scratch.count("torch.rand(")


@pytest.mark.parametrize("name", NAMES)
def test_the_examples_that_the_contract_allows(name: str) -> None:
    book = committed(name)
    examples = text_of(tagged(book, "notebook"), "markdown")
    code = text_of(tagged(book, "notebook"), "code")
    assert "Encoder self-attention: a batch of 2, 20 tokens of size 512" in examples
    assert re.search(r"torch\.rand\(2, (20, 512|8, 20, 64)\)", code)
    assert ("Decoder cross-attention: 20 queries look at 30 keys." in examples) == (name not in WITHOUT_CROSS_ATTENTION)
    assert ("Causal self-attention over 10 tokens" in examples) == (name not in WITHOUT_MASK)
    assert "nn.MultiheadAttention(" in code
    assert "%show_weights " in code


@pytest.mark.parametrize("name", NAMES)
def test_the_last_cell_grades(name: str) -> None:
    assert f"%grade {name}" == committed(name).cells[-1].source


@pytest.mark.parametrize("name", [*NAMES, "index"])
def test_the_set_up_is_two_lines(name: str) -> None:
    (setup,) = tagged(committed(name), "setup")
    assert 2 == len(setup.source.splitlines())


@pytest.mark.parametrize("name", NAMES)
def test_examples_are_marked_and_are_plain_python_but_for_the_picture(name: str) -> None:
    examples = [cell.source for cell in tagged(committed(name), "notebook") if cell.cell_type == "code"]
    assert [] == [source for source in examples if not source.startswith(f"{EXAMPLE}\n")]
    assert 1 == sum("%show_weights" in source for source in examples)


@pytest.mark.parametrize("name", NAMES)
def test_hints_are_for_tiers_of_the_kata(name: str) -> None:
    tiers = {tier.name for tier in BY_NAME[name].tiers}
    of_kata = hints(name, ROOT)
    assert len(tagged(committed(name), "hints")[0].source.split("<summary>")) - 1 == len(of_kata)
    assert set() == {tier for hint in of_kata for tier in hint.tiers} - tiers
    assert any(not hint.tiers for hint in of_kata), "one helps with any tier"


@pytest.mark.slow
def test_graded_from_outside_a_notebook_says_nothing_of_a_grader(tmp_path: Path) -> None:
    path = tmp_path / "candidate.ipynb"
    path.write_text(nbformat.writes(notebook("scaffold", ROOT, solved=True)))
    report = graded("scaffold", read(path))
    assert (100, ()) == (report.score, report.notes)


# Run from top to bottom with the solution in it


def executed(name: str, *, solved: bool = True, written: str | None = None) -> NotebookNode:
    """A notebook after "Run all", which ends at the first cell that raises and is not marked to go on.

    Args:
        name: the kata's.
        solved: with our solution.
        written: stands in place of the first cell to write in.
    """
    book = notebook(name, ROOT, solved=solved)
    if written is not None:
        tagged(book, "stub")[0].source = written
    folder = {"metadata": {"path": str(ROOT / "notebooks")}}
    NotebookClient(book, timeout=120, kernel_name="python3", resources=folder).execute()
    return book


def outputs(book: NotebookNode, kind: str) -> list[Any]:
    return [output for cell in book.cells for output in cell.get("outputs", []) if output.output_type == kind]


def printed(book: NotebookNode, channel: str) -> str:
    return "".join(output.text for output in outputs(book, "stream") if output.name == channel)


@pytest.mark.slow
@pytest.mark.sample(1)
@pytest.mark.parametrize("name", NAMES)
def test_a_solved_notebook_runs_to_its_end_and_grades_itself(name: str) -> None:
    book = executed(name)
    assert [] == [error.evalue for error in outputs(book, "error")]
    assert "" == printed(book, "stderr")
    differences = re.findall(r"largest difference: (\S+)", printed(book, "stdout"))
    assert differences, "beside PyTorch"
    assert max(map(float, differences)) < 1e-6
    hidden = re.findall(r"largest (?:weight|change) of .*: (\S+)", printed(book, "stdout"))
    assert ([] if name in WITHOUT_MASK else ["0.0"]) == hidden, "the future, in the causal example"
    pictures = [kind for output in outputs(book, "display_data") for kind in output.data if "png" in kind]
    assert ["image/png"] * (1 + (name in WITH_A_PLOT)) == pictures, "of the weights"
    (shown,) = book.cells[-1].outputs
    assert shown.data["text/plain"].startswith("graded: ")
    assert "score 100 of 100" in shown.data["text/plain"], shown.data["text/plain"]
    assert "<svg" in shown.data["text/html"]


@pytest.mark.slow
@pytest.mark.sample(1)
@pytest.mark.parametrize("name", NAMES)
def test_an_untouched_notebook_runs_to_its_end_and_says_where_to_begin(name: str) -> None:
    """Examples never stop a run; a repair kata's run, and are wrong."""
    book = executed(name, solved=False)
    assert [] == [error.evalue for error in outputs(book, "error")]
    (shown,) = book.cells[-1].outputs
    assert "score 100 of 100" not in shown.data["text/plain"]
    if "raise NotImplementedError" in text_of(tagged(book, "stub"), "code"):
        assert "not written yet: begin in notebook.ipynb with" in shown.data["text/plain"]
        shows = [each.data for each in outputs(book, "display_data") if each is not shown]
        said = [each["text/plain"] for each in shows if "image/png" not in each]  # a picture may need no stub
        assert any(each.startswith("not written yet: ") for each in said)
        assert [] == [each for each in said if "Error" in each]


@pytest.mark.slow
@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("written", "verdict"),
    [
        ("class MultiHeadAttention(nn.Module):\n    def forward(self, x:\n        return x", "SyntaxError"),
        ("import torch\n\nMultiHeadAttention = undefined", "NameError"),
    ],
    ids=["syntax error", "NameError"],
)
def test_a_cell_that_raises_as_it_is_run_does_not_keep_the_verdict_away(written: str, verdict: str) -> None:
    book = executed("scaffold", solved=False, written=written)
    assert verdict == outputs(book, "error")[0].ename
    (shown,) = book.cells[-1].outputs
    assert verdict in shown.data["text/plain"]
