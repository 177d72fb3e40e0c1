"""Reads the Python source, cell by cell, of notebooks of format versions 3 and 4, however untidy."""

import json
from pathlib import Path
from typing import Any

from grader.records import Cell, GraderError
from grader.submission.cells import python_cells
from grader.submission.instead import UNMERGED, unmerged


def read_notebook(path: Path, data: bytes, source_limit: int) -> tuple[tuple[Cell, ...], str | None]:
    """The code of a notebook.

    Args:
        path: for the messages.
        data: the file's bytes.
        source_limit: most characters of code in all cells together.

    Returns:
        The cells that hold Python, numbered among all code cells from 1, each with the line numbers that its
        writer sees; and the kata that the metadata names.

    Raises:
        GraderError: not JSON, not a notebook, no code or too much of it; or IPython is not installed and needed.
    """
    raw = _parse(path, data)
    # Version 3 has its cells in worksheets, and their text under another name.
    sheets = [raw] if "cells" in raw else raw["worksheets"]
    try:
        sources = [_text(cell) for sheet in sheets for cell in sheet["cells"] if cell["cell_type"] == "code"]
    except (LookupError, TypeError) as error:
        raise GraderError(
            f"{path} is a damaged notebook ({type(error).__name__}: {error}): open it in Jupyter and save it again."
        ) from error
    if sum(map(len, sources)) > source_limit:
        raise GraderError(f"{path} holds more than {source_limit >> 20} MiB of code: keep the kata's cells only.")
    if not any(source.strip() for source in sources):
        raise GraderError(f"{path} has no code cell with anything in it: write your solution in one and save.")
    cells = tuple(Cell(each, number) for number, each in enumerate(python_cells(sources), start=1) if each.strip())
    if not cells:
        raise GraderError(f"{path} holds magics and shell commands only: write your solution in a Python cell.")
    metadata = raw.get("metadata")
    hint = metadata.get("kata") if isinstance(metadata, dict) else None
    return cells, hint if isinstance(hint, str) else None


def _parse(path: Path, data: bytes) -> dict[str, Any]:
    try:
        raw = json.loads(data)
    except UnicodeDecodeError as error:
        raise GraderError(f"{path} cannot be decoded ({error}): save the notebook as UTF-8.") from error
    except json.JSONDecodeError as error:
        if line := unmerged(data.decode(errors="replace")):
            raise GraderError(f"{path}:{line}: {UNMERGED}") from error
        raise GraderError(
            f"{path} is not a notebook, its line {error.lineno} is not JSON ({error.msg}): "
            "export it again as .ipynb, or name it .py if it is Python source."
        ) from error
    except ValueError as error:  # Python reads no number of more than 4,300 digits
        raise GraderError(f"{path} is not a notebook, it holds a number too long to read: export it again.") from error
    if not isinstance(raw, dict) or not isinstance(raw.get("cells", raw.get("worksheets")), list):
        raise GraderError(f"{path} is JSON, but not a notebook (no list of cells): export it again as .ipynb.")
    return raw


def _text(cell: dict[str, Any]) -> str:
    lines = cell.get("source", cell.get("input", ""))  # a list of lines, or one text
    whole = "".join(lines).replace("\r\n", "\n").replace("\r", "\n")
    # With a question mark for each lone surrogate, which JSON can spell and no Python source can hold.
    return whole.encode("utf-8", "replace").decode()
