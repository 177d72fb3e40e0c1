"""The notebook: set-up, statement, hints, stub, examples, and a last cell that grades."""

from collections import Counter
from dataclasses import replace

from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from grader.stubs.solution_cells import AXES, EXAMPLE, SCRATCH, SETUP, SourceCell, grade_cells, write_here

GOES_ON = "raises-exception"
"""A tag of Jupyter's: "Run all" goes on after a cell that raises."""


def build(kata_name: str, cells: list[SourceCell]) -> NotebookNode:
    """Put a kata's cells and the shared ones in their order.

    Args:
        kata_name: the kata's name, kept in the notebook's metadata.
        cells: the solution's cells, markers replaced already.

    Returns:
        A notebook without outputs, the same for the same cells.
    """
    stubs = [place for place, cell in enumerate(cells) if cell.tag == "stub"]
    before, after = cells[: stubs[0]], cells[stubs[-1] + 1 :]
    hints = list(_tagged(before, "hints"))
    ordered = [
        SETUP,
        *_tagged(before, "statement", "notebook"),
        AXES,
        *hints,
        write_here(hints=bool(hints)),
        *_tagged(cells, "stub"),
        *SCRATCH,
        *map(_as_example, _tagged(after, "notebook")),
        *grade_cells(kata_name),
    ]
    return write_cells(ordered, {"kata": kata_name})


def write_cells(cells: list[SourceCell], metadata: dict[str, str]) -> NotebookNode:
    """A notebook of these cells, without outputs.

    Args:
        cells: the cells in order.
        metadata: the notebook's metadata beside its language.
    """
    language = {
        "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    seen: Counter[str] = Counter()
    made: NotebookNode = new_notebook(cells=[_node(cell, seen) for cell in cells], metadata={**metadata, **language})
    return made


def _tagged(cells: list[SourceCell], *tags: str) -> list[SourceCell]:
    return [cell for cell in cells if cell.tag in tags]


def _as_example(cell: SourceCell) -> SourceCell:
    return replace(cell, source=f"{EXAMPLE}\n{cell.source}") if cell.kind == "code" else cell


def _node(cell: SourceCell, seen: Counter[str]) -> NotebookNode:
    # nbformat draws random identifiers: ours must be the same each time.
    seen[cell.tag] += 1
    new = new_code_cell if cell.kind == "code" else new_markdown_cell
    tags = [cell.tag, GOES_ON] if cell.tag in ("stub", "scratch") and cell.kind == "code" else [cell.tag]
    made: NotebookNode = new(cell.source, id=f"{cell.tag}-{seen[cell.tag]}", metadata={"tags": tags})
    return made
