"""Notebooks: any of the format's versions 3 and 4, however untidy, down to Python source cell by cell."""

import json
import logging
import secrets
import sys
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import Any

from grader.records import Cell, GraderError
from grader.submission import magics
from grader.submission.instead import UNMERGED, unmerged
from grader.submission.scripts import exported_cells
from grader.submission.syntax import too_many, too_much, tree_of

READERS = ("nbformat", "nbconvert", "IPython")
MOST_CELLS = 5000
"""Code cells, empty ones too: about 1 s; each is exported and parsed by itself."""

MOST_BRACKETS = 5_000_000
"""Lists and objects of a file, about 1 GiB; those of a notebook full of plots have more than 10 bytes each."""


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep nbformat's warnings (missing ids, failed validation) from the person: untidy is still correct."""
    disabled = logging.root.manager.disable
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        logging.disable(logging.CRITICAL)
        try:
            yield
        finally:
            logging.disable(disabled)


@contextmanager
def _without_grammar() -> Iterator[None]:
    """Hide `rfc3987_syntax`: jsonschema imports it if it can, and its grammar takes 1.4 of nbformat's 1.7 s.

    It checks international addresses, which no notebook holds; jsonschema does without it where it is absent.
    """
    name = "rfc3987_syntax"
    if name in sys.modules:
        yield
        return
    sys.modules[name] = None  # type: ignore[assignment]  # how the import system spells "not installed"
    try:
        yield
    finally:
        del sys.modules[name]


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
        GraderError: not JSON, not a notebook, a version that nbformat cannot read, no code or too much of it;
            or what reads notebooks is not installed.
    """
    if absent := _absent():
        raise GraderError(
            f"{path} is a notebook, and {' and '.join(absent)} to read one is not installed here: "
            "run python -m pip install -r requirements.txt, or export it as .py."
        )
    raw = _parse(path, data)
    with _quiet():
        try:
            notebook = _upgrade(raw)
            sources = [_whole(str(cell["source"])) for cell in notebook["cells"]]
        except Exception as error:  # nbformat raises whatever the damaged part makes it raise
            raise GraderError(
                f"{path} is a damaged notebook ({type(error).__name__}: {error}): open it in Jupyter and save it again."
            ) from error
        if len(sources) > MOST_CELLS:
            raise GraderError(f"{path} has more than {MOST_CELLS} code cells: keep the kata's cells only.")
        if sum(map(len, sources)) > source_limit:
            raise GraderError(f"{path} holds more than {source_limit >> 20} MiB of code: keep the kata's cells only.")
        if many := too_many(sources, source_limit):
            raise GraderError(f"{path} holds {many}: keep the kata's cells only.")
        if much := magics.too_much(sources):
            raise GraderError(f"{path} holds {much}: remove what the kata does not need.")
        if much := next(filter(None, map(too_much, sources)), None):
            raise GraderError(f"{path} holds too much in {much} to be read: keep the kata's cells only.")
        if not any(source.strip() for source in sources):
            raise GraderError(f"{path} has no code cell with anything in it: write your solution in one and save.")
        cells = _numbered(_export(magics.bodies(sources)))
    if not cells:
        raise GraderError(f"{path} holds magics and shell commands only: write your solution in a Python cell.")
    hint = notebook["metadata"].get("kata")
    return cells, hint if isinstance(hint, str) else None


def without_magics(source: str) -> str | None:
    """A `.py` file that holds a notebook's `!` and `%` lines, with None in their place; None: it is no such file."""
    if not magics.ESCAPE.search(source) or magics.too_much([source]) or _absent():
        return None
    from nbconvert.filters.strings import ipython2python

    python = magics.keep_lines(source, ipython2python)
    return python if tree_of(python) else None


def exported(source: str) -> tuple[Cell, ...]:
    """The cells of a `.py` file that a notebook was exported to with a cell as the text of its magic; else none."""
    sources = exported_cells(source)
    if not 0 < len(sources) <= MOST_CELLS or magics.too_much(sources) or _absent():
        return ()
    return _numbered(_export(magics.bodies(sources)))


def _numbered(sources: Iterable[str]) -> tuple[Cell, ...]:
    return tuple(Cell(source, number) for number, source in enumerate(sources, start=1) if source.strip())


def _absent() -> list[str]:
    return [name for name in READERS if find_spec(name) is None]


def _parse(path: Path, data: bytes) -> dict[str, Any]:
    if data.count(b"[") + data.count(b"{") > MOST_BRACKETS:
        raise GraderError(f"{path} holds more than {MOST_BRACKETS} lists and objects: clear its outputs.")
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
    except RecursionError as error:
        raise GraderError(f"{path} is not a notebook, its JSON is nested too deeply: export it again.") from error
    except ValueError as error:  # Python reads no number of more than 4,300 digits
        raise GraderError(f"{path} is not a notebook, it holds a number too long to read: export it again.") from error
    if not isinstance(raw, dict) or not isinstance(raw.get("cells", raw.get("worksheets")), list):
        raise GraderError(f"{path} is JSON, but not a notebook (no list of cells): export it again as .ipynb.")
    return raw


def _upgrade(raw: dict[str, Any]) -> Any:
    """A notebook of version 4, of which nothing is kept but the code cells' texts and the kata's name.

    Anything else may be in any state, and take hundreds of times the file's size as nbformat's objects.
    """
    with _without_grammar():
        import nbformat.converter
        import nbformat.reader
    is_new = "cells" in raw
    sheets = [raw] if is_new else raw["worksheets"]
    code = (cell for sheet in sheets for cell in sheet["cells"] if cell["cell_type"] == "code")
    cells = [_bare(cell, is_new) for cell in islice(code, MOST_CELLS + 1)]
    metadata = raw.get("metadata")
    hint = metadata.get("kata") if isinstance(metadata, dict) else None
    bare = {
        "nbformat": 4 if is_new else 3,
        "nbformat_minor": 0,
        **{name: raw[name] for name in ("nbformat", "nbformat_minor") if isinstance(raw.get(name), int | str)},
        "metadata": {"kata": hint} if isinstance(hint, str) else {},
        **({"cells": cells} if is_new else {"worksheets": [{"cells": cells}]}),
    }
    # Not nbformat.reads: it also validates, which costs time and only ever logs.
    return nbformat.converter.convert(nbformat.reader.reads(json.dumps(bare)), 4)


def _bare(cell: dict[str, Any], is_new: bool) -> dict[str, Any]:
    """Its type and its text."""
    texts = {name: cell[name] for name in ("source", "input") if name in cell}
    bare = {name: "".join(text) if isinstance(text, list) else str(text) for name, text in texts.items()}
    bare |= {"cell_type": cell["cell_type"], "metadata": {}, "outputs": []}
    bare.setdefault("input" if "input" in bare or not is_new else "source", "")
    return bare


def _whole(source: str) -> str:
    """With a question mark for each half of a character, which JSON can spell and no Python source can hold."""
    return source.encode("utf-8", "replace").decode()


def _export(sources: list[str]) -> list[str]:
    """One export of the whole notebook; a marker that no cell can hold tells the cells apart."""
    with _without_grammar():
        from nbconvert.exporters.python import PythonExporter
        from nbconvert.filters.strings import ipython2python
        from nbformat.v4 import new_code_cell, new_notebook

    marker = f"# cell {secrets.token_hex(16)}\n"
    template = "{% for cell in nb.cells %}" + marker + "{{ cell.source | ipython2python }}\n{% endfor %}"
    notebook = new_notebook(cells=[new_code_cell(source) for source in sources])
    # The candidate's line numbers are kept by putting our filter in the place of nbconvert's.
    filters = {"ipython2python": lambda source: magics.keep_lines(source, ipython2python)}
    text, _ = PythonExporter(raw_template=template, filters=filters).from_notebook_node(notebook)
    return [cell.removesuffix("\n") for cell in text.split(marker)[1:]]
