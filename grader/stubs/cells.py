"""A solution file, read as cells; and the cells that all notebooks share."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jupytext

from grader.records import GraderError

TAGS = ("statement", "hints", "solution", "notebook", "stub")


@dataclass(frozen=True, slots=True)
class SourceCell:
    """One cell of a solution file, in the percent format."""

    kind: str
    """`code` or `markdown`."""
    tag: str
    """`statement`: exercise and notebook; `hints` and `notebook`: notebook; `solution`: neither;
    `stub`, which is written as no tag: code for both."""
    source: str


def read_cells(text: str, path: Path) -> list[SourceCell]:
    """Read the cells of a solution file.

    Args:
        text: the source in jupytext's percent format, markers replaced already.
        path: the name under which errors speak of it.

    Raises:
        GraderError: a cell has an unknown tag, or is text without a tag.
    """
    notebook: Any = jupytext.reads(text, fmt="py:percent")
    cells = []
    for number, cell in enumerate(notebook.cells, start=1):
        tags = [tag for tag in cell.metadata.get("tags", []) if tag != "active-ipynb"]
        tag = tags[0] if tags else "stub"
        if tag not in TAGS or len(tags) > 1 or (tag == "stub" and cell.cell_type != "code"):
            repair = f"write one of {', '.join(TAGS[:-1])}; none on code to keep"
            raise GraderError(f"{path}, cell {number}: tags {tags}: {repair}")
        cells.append(SourceCell(cell.cell_type, tag, cell.source))
    return cells


AXES = SourceCell(
    "markdown",
    "axes",
    """## Axes

| axis | meaning |
|---|---|
| `N` (`B`) | batch |
| `L` (`T`) | length of the queries |
| `S` | length of the keys and values |
| `E` (`d_model`, `embed_dim`) | embedding size |
| `H` | heads |
| `D` | size of one head, `E / H` |

Where a kata's source has another letter, it stands in brackets and is used in that kata.""",
)

SETUP = SourceCell(
    "code",
    "setup",
    """# Run this first: it makes %grade and %show_weights known.
import sys

sys.path.append("..")  # the repository's folder
try:
    %load_ext grader.jupyter
except ModuleNotFoundError:
    print(
        "The grader is not here, so %grade and %show_weights do not work: clone the repository, write its folder in "
        'place of ".." above, and run this cell again. The cells below can be filled in and handed in without it.'
    )""",
)

SCRATCH = (
    SourceCell(
        "markdown",
        "scratch",
        """## Scratch

A little data to try things on. Change it, add cells: only what the kata asks for is graded.""",
    ),
    SourceCell(
        "code",
        "scratch",
        """torch.manual_seed(42)
N, L, S, E, H = 3, 4, 4, 8, 2
query, key, value = torch.rand(N, L, E), torch.rand(N, S, E), torch.rand(N, S, E)""",
    ),
)


def grade_cells(kata_name: str) -> tuple[SourceCell, SourceCell]:
    """The last two cells of a notebook: how to grade, and the command."""
    text = f"""## Grade

This grades what the cells that you ran have defined. `%grade {kata_name} --reveal all` tells every failure in
full, `--explain` why a mistake that was named is one, `--seed N` repeats a run."""
    return SourceCell("markdown", "grade", text), SourceCell("code", "grade", f"%grade {kata_name}")
