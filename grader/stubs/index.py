"""The notebook that stands before the others: the ladder of katas with links, where you are, and how to grade."""

from collections.abc import Sequence
from typing import ClassVar, Protocol

from nbformat import NotebookNode

from grader.records import GROUPS
from grader.stubs.notebook_builder import write_cells
from grader.stubs.solution_cells import SETUP, SourceCell

NAME = "index"

BEGIN = """# Attention katas

Each kata is a notebook: a statement, hints, code to write, examples, and a last cell that grades it and names the
mistake. Take them in this order, or begin where you like."""

YOURS = """## Where you are

Your best score in each kata, the last one, and what is next. Run this cell again after a grading."""

GRADE = """## How to grade

- In a notebook: run its cells, the last one is `%grade` with the kata's name.
- In a terminal, for what is written in `exercises/`: `make grade KATA=NAME`, with a name of the ladder.
- `make reset KATA=NAME` gives the pristine stub back."""


class Rung(Protocol):
    """The attributes of a kata that the ladder shows."""

    name: ClassVar[str]
    title: ClassVar[str]
    group: ClassVar[str]
    paper: ClassVar[str]
    question: ClassVar[str]


def build_index(katas: Sequence[Rung]) -> NotebookNode:
    """Return the index notebook, without outputs.

    Args:
        katas: the katas in teaching order.
    """
    groups = {group: [kata for kata in katas if kata.group == group] for group in GROUPS}
    ladder = [_table(group, of_group) for group, of_group in groups.items() if of_group]
    return write_cells(
        [
            SourceCell("markdown", "statement", BEGIN),
            SETUP,
            SourceCell("markdown", "progress", YOURS),
            SourceCell("code", "progress", "%progress"),
            SourceCell("markdown", "ladder", "## The ladder\n\n" + "\n\n".join(ladder)),
            SourceCell("markdown", "grade", GRADE),
        ],
        {},
    )


def _table(group: str, katas: Sequence[Rung]) -> str:
    rows = [f"| [{kata.name}]({kata.name}.ipynb) | {kata.title} | {kata.paper} | {kata.question} |" for kata in katas]
    head = "| kata | what is written | paper | an interviewer asks |\n|---|---|---|---|"
    return "\n".join([f"### {group.capitalize()}", "", head, *rows])
