"""The notebooks hold what a self-learner needs, run to their end, and grade themselves."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient
from nbformat import NotebookNode

from grader.stubs.writer import kata_names, notebook
from tests.grading import graded, read

ROOT = Path(__file__).resolve().parents[1]
NAMES = kata_names(ROOT)
TESTING = {"write_head_permutation_test", "write_memory_benchmark"}
WITHOUT_CROSS_ATTENTION = {"fused_qkv", "rope"} | TESTING
WITHOUT_MASK = {"plain_class"} | TESTING
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
    expected = ["statement", "notebook", "axes", "hints", "setup", "stub", "scratch", "notebook", "grade"]
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
    summaries = re.findall(r"<details><summary>Hint (\d): .+</summary>", hints)
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


PROGRAM = """
import sys, nbformat
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
shell.run_cell(nbformat.read(sys.argv[1], as_version=4).cells[int(sys.argv[2])].source).raise_error()
"""


def test_without_its_repository_a_notebook_says_what_is_missing_and_runs_on(tmp_path: Path) -> None:
    place = next(place for place, cell in enumerate(committed("scaffold").cells) if cell.id == "setup-1")
    command = [sys.executable, "-c", PROGRAM, ROOT / "notebooks" / "scaffold.ipynb", str(place)]
    environment = {**os.environ, "IPYTHONDIR": str(tmp_path / "ipython")}
    ran = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert (0, "") == (ran.returncode, ran.stderr)
    assert ran.stdout == (
        "The grader is not here, so %grade and %show_weights do not work: clone the repository, write its folder in "
        'place of ".." above, and run this cell again. The cells below can be filled in and handed in without it.\n'
    )


def test_graded_from_outside_a_notebook_says_nothing_of_a_grader(tmp_path: Path) -> None:
    path = tmp_path / "candidate.ipynb"
    path.write_text(nbformat.writes(notebook("scaffold", ROOT, solved=True)))
    report = graded("scaffold", read(path))
    assert (100, False) == (report.score, "grader is not here" in report.output)


# Run from top to bottom with the solution in it


def executed(name: str) -> NotebookNode:
    """A solved notebook after "Run all"."""
    book = notebook(name, ROOT, solved=True)
    folder = {"metadata": {"path": str(ROOT / "notebooks")}}
    NotebookClient(book, timeout=120, kernel_name="python3", resources=folder, allow_errors=True).execute()
    return book


def outputs(book: NotebookNode, kind: str) -> list[Any]:
    return [output for cell in book.cells for output in cell.get("outputs", []) if output.output_type == kind]


def printed(book: NotebookNode, channel: str) -> str:
    return "".join(output.text for output in outputs(book, "stream") if output.name == channel)


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", NAMES)
def test_a_solved_notebook_runs_to_its_end_and_grades_itself(name: str) -> None:
    book = executed(name)
    assert [] == [error.evalue for error in outputs(book, "error")]
    assert "" == printed(book, "stderr")
    (difference,) = re.findall(r"largest difference: (\S+)", printed(book, "stdout"))
    assert float(difference) < 1e-6, "beside PyTorch"
    hidden = re.findall(r"largest (?:weight|change) of .*: (\S+)", printed(book, "stdout"))
    assert ([] if name in WITHOUT_MASK else ["0.0"]) == hidden, "the future, in the causal example"
    pictures = [kind for output in outputs(book, "display_data") for kind in output.data if "png" in kind]
    assert ["image/png"] * (1 + (name in WITH_A_PLOT)) == pictures, "of the weights"
    assert "score 100 of 100" in book.cells[-1].outputs[0].text
