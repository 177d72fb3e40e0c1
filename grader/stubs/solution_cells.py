"""A solution file, read as cells; and the cells that all notebooks share."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jupytext

from grader.records import GraderError

TAGS = ("statement", "hints", "solution", "notebook", "stub")
SHARED = Path(__file__).with_name("shared")
"""The folder of texts that several katas share, a file each."""
PLACE = re.compile(r"^\{(\w+)\}$", re.MULTILINE)
"""A whole line in a text cell: `{heads}` stands for the text of `shared/heads.md`."""
GIVEN = re.compile(r"^# \{(grader/[\w/]+\.py)\}$", re.MULTILINE)
"""A whole line in a code cell: it stands for the code of the file that it names, below the file's docstring."""


@dataclass(frozen=True, slots=True)
class SourceCell:
    """One cell of a solution file, in the percent format."""

    kind: str
    """`code` or `markdown`."""
    tag: str
    """Where the cell goes.

    `statement`: exercise and notebook; `hints` and `notebook`: notebook; `solution`: neither; `stub`, the tag of code
    that has no tag in the solution file: both.
    """
    source: str


def read_cells(text: str, path: Path) -> list[SourceCell]:
    """Read the cells of a solution file.

    Args:
        text: the source in jupytext's percent format, markers replaced already.
        path: the file's name for error messages.

    Raises:
        GraderError: a cell has an unknown tag, is text without a tag, or names a shared text or a file that does not
            exist.
    """
    notebook: Any = jupytext.reads(text, fmt="py:percent")
    cells = []
    for number, cell in enumerate(notebook.cells, start=1):
        tags = [tag for tag in cell.metadata.get("tags", []) if tag != "active-ipynb"]
        tag = tags[0] if tags else "stub"
        if tag not in TAGS or len(tags) > 1 or (tag == "stub" and cell.cell_type != "code"):
            repair = f"write one of {', '.join(TAGS[:-1])}; none on code to keep"
            raise GraderError(f"{path}, cell {number}: tags {tags}: {repair}")
        fill = with_given_code if cell.cell_type == "code" else with_shared_prose
        text = fill(cell.source, f"{path}, cell {number}")
        cells.append(SourceCell(cell.cell_type, tag, text))
    return cells


def with_shared_prose(text: str, place: str) -> str:
    """Replace the lines that name shared texts by these texts.

    Args:
        text: Markdown of a solution's cell.
        place: the file and cell, for error messages.

    Raises:
        GraderError: there is no shared text of that name.
    """
    names = [path.stem for path in sorted(SHARED.glob("*.md"))]
    for name in PLACE.findall(text):
        if name not in names:
            repair = f"write one of {', '.join(names)}, or add grader/stubs/shared/{name}.md"
            raise GraderError(f"{place}: there is no shared text {name!r}: {repair}")
    return PLACE.sub(lambda line: (SHARED / f"{line[1]}.md").read_text(encoding="utf-8").rstrip("\n"), text)


def with_given_code(code: str, place: str) -> str:
    """Replace the lines that name files of the grader by the code of these files, which a candidate is given.

    Args:
        code: the code of a solution's cell.
        place: the file and cell, for error messages.

    Raises:
        GraderError: there is no such file.
    """
    files = {name: SHARED.parents[2] / name for name in GIVEN.findall(code)}
    for name, path in files.items():
        if not path.is_file():
            raise GraderError(f"{place}: there is no file {name}: correct the name")
    given = {name: path.read_text(encoding="utf-8").split('"""', 2)[2].strip() for name, path in files.items()}
    return GIVEN.sub(lambda line: given[line[1]], code)


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
    """import sys; sys.path += ["..", "."]  # the repository: from another folder write its path here
%load_ext grader.jupyter""",
)

EXAMPLE = "# Example: an error in it is shown in one line, and the run goes on."
"""The first line of an example; `grader.jupyter` runs cells as examples that begin with its first clause."""


def write_here(*, hints: bool) -> SourceCell:
    """The head of the stub's cells, with a link to the hints where there are any."""
    helped = " Help: [hints](#Hints)." if hints else ""
    text = f"The code below is yours: write it, or repair it, and run its cells.{helped} Then: [grade](#Grade)."
    return SourceCell("markdown", "write", f"## Write it here\n\n{text}")


SCRATCH = (
    SourceCell(
        "markdown",
        "scratch",
        """## Scratch

A little data to try things on. Change it, add cells: only what the kata asks for is graded.
An error in a cell that you add ends "Run All": run the last cell by itself then.""",
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

This grades what the cells that you ran have defined. `%grade {kata_name} --reveal all` shows every failure in
full, `--explain` says why a named mistake is wrong and which section to read, `--seed N` repeats a run."""
    return SourceCell("markdown", "grade", text), SourceCell("code", "grade", f"%grade {kata_name}")
