"""Notebooks: any of the format's versions 3 and 4, however untidy, down to Python source cell by cell."""

import ast
import json
import logging
import re
import secrets
import sys
import warnings
from collections.abc import Callable, Iterator, Set
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from grader.records import Cell, GraderError
from grader.submission.syntax import tree_of

NOT_PYTHON = frozenset(
    "! bash sh script cmd system sx html HTML javascript js latex markdown svg SVG writefile file perl ruby "
    "pypy python python2 python3 R sql bigquery cython julia ai".split()
)
"""Cell magics whose body goes to another program or process. Any other (`%%time`) runs its body here."""
WRITTEN = re.compile(r"%%(?:write)?file[^\S\n]+(?:-a[^\S\n]+)?['\"]?(\S*/)?(\w+)\.py['\"]?[^\S\n]*$")
USED = re.compile(
    r"^[^\S\n]*(?:from[^\S\n]+([\w.]+)[^\S\n]+import[^\S\n]+([^\n;#]+)|import[^\S\n]+([^\n;#]+)|%run\b(.*))",
    re.MULTILINE,
)
NAME = re.compile(r"(?:^|,)[^\S\n]*\(?[^\S\n]*([\w.]+)")
"""A module that a notebook writes; what may name one that it imports or runs; each name in a list of them."""
REGISTERED = "__import__('sys').modules.setdefault({!r}, __import__(__name__))"

MAGIC = re.compile(r"get_ipython\(\)\..*$")
TIMED = re.compile(r"get_ipython\(\)\.run_line_magic\('time', (?P<statement>'.+'|\".+\")\)$")
"""`%time x = f()`: the one line magic whose statement is run here, as what it defines is used further down."""
ESCAPE = re.compile(r"^[^\S\n]*[%!?,;/]|=[^\S\n]*[%!]|\?[^\S\n]*$", re.MULTILINE)
"""What may be a magic line; IPython reads a cell anew for each. Looked for line by line: blank lines may be many."""
MOST_WORK = 2_000_000
"""Magic lines times characters, over all cells: about 5 s; an ordinary notebook is far below 100,000."""
MOST_CELLS = 5000
"""Code cells, empty ones too: about 1 s; each is exported and parsed by itself."""


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
        GraderError: not JSON, not a notebook, a version that nbformat cannot read, no code or too much of it.
    """
    raw = _parse(path, data)
    with _quiet():
        try:
            notebook = _upgrade(raw)
            sources = [_whole(str(cell["source"])) for cell in notebook["cells"] if cell["cell_type"] == "code"]
        except Exception as error:  # nbformat raises whatever the damaged part makes it raise
            raise GraderError(
                f"{path} is a damaged notebook ({type(error).__name__}: {error}): open it in Jupyter and save it again."
            ) from error
        if len(sources) > MOST_CELLS:
            raise GraderError(f"{path} has more than {MOST_CELLS} code cells: keep the kata's cells only.")
        if sum(map(len, sources)) > source_limit:
            raise GraderError(f"{path} holds more than {source_limit >> 20} MiB of code: keep the kata's cells only.")
        if sum(len(ESCAPE.findall(source)) * len(source) for source in sources) > MOST_WORK:
            raise GraderError(f"{path} holds too many % and ! lines: remove those that the kata does not need.")
        if not any(source.strip() for source in sources):
            raise GraderError(f"{path} has no code cell with anything in it: write your solution in one and save.")
        used = {name for source in sources for name in _used(source)}
        exported = _export([_python_body(source, used) for source in sources])
    cells = tuple(Cell(source, number) for number, source in enumerate(exported, start=1) if source.strip())
    if not cells:
        raise GraderError(f"{path} holds magics and shell commands only: write your solution in a Python cell.")
    hint = notebook["metadata"].get("kata")
    return cells, hint if isinstance(hint, str) else None


def _parse(path: Path, data: bytes) -> dict[str, Any]:
    try:
        raw = json.loads(data)
    except UnicodeDecodeError as error:
        raise GraderError(f"{path} cannot be decoded ({error}): save the notebook as UTF-8.") from error
    except json.JSONDecodeError as error:
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
    """A notebook of version 4 without outputs and cell metadata, whatever state those were in."""
    with _without_grammar():
        import nbformat.converter
        import nbformat.reader
    sheets = [raw] if "cells" in raw else raw["worksheets"]
    for sheet in sheets:
        for cell in sheet["cells"]:
            cell["metadata"] = {}
            if cell.get("cell_type") == "code":
                cell["outputs"] = []
                cell.setdefault("input" if "input" in cell or "cells" not in raw else "source", "")
    if not isinstance(raw.get("metadata"), dict):
        raw["metadata"] = {}
    raw.setdefault("nbformat", 4 if "cells" in raw else 3)
    raw.setdefault("nbformat_minor", 0)
    # Not nbformat.reads: it also validates, which costs time and only ever logs.
    return nbformat.converter.convert(nbformat.reader.reads(json.dumps(raw)), 4)


def _whole(source: str) -> str:
    """With a question mark for each half of a character, which JSON can spell and no Python source can hold."""
    return source.encode("utf-8", "replace").decode()


def _used(source: str) -> Iterator[str]:
    """The modules that a cell imports or runs by their file, each without its packages; `a.b` for `from a import b`."""
    for module, members, modules, run in USED.findall(source):
        package = module.rpartition(".")[2]
        yield package
        yield from (f"{package}.{name}" for name in NAME.findall(members))
        yield from (name.rpartition(".")[2] for name in NAME.findall(modules))
        yield from re.findall(r"\b(\w+)\.py\b", run)


def _names(written: re.Match[str]) -> list[str]:
    """What `src/mha.py` is imported by: `mha` from its own folder, `src.mha` from the one above.

    `from src import mha` looks for `mha` below the name that the module `src` has, which is the submission's.
    """
    folder, name = (written[1] or "").rstrip("/").rpartition("/")[2], written[2]
    return [name, *([f"{folder}.{name}", folder, f"submission.{name}"] if folder.isidentifier() else [])]


def _python_body(source: str, used: Set[str]) -> str:
    """A cell without its `%%` lines, which become empty; nothing at all where its body is not Python.

    `%%writefile mha.py` has a body that is run where a cell imports `mha`: that module is then the submission's own.
    """
    lines = source.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    for place, line in enumerate(lines):
        if line.strip() and not line.startswith("%%"):
            break
        words = line[2:].split()
        written = WRITTEN.match(line)
        if written and not used.isdisjoint(_names(written)[:2]):
            lines += [REGISTERED.format(name) for name in _names(written)]
        elif words and words[0] in NOT_PYTHON:
            return ""
        lines[place] = ""
    return "\n".join(lines)


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
    filters = {"ipython2python": lambda source: _keep_lines(source, ipython2python)}
    text, _ = PythonExporter(raw_template=template, filters=filters).from_notebook_node(notebook)
    return [cell.removesuffix("\n") for cell in text.split(marker)[1:]]


def _keep_lines(source: str, to_python: Callable[[str], str]) -> str:
    """Turn `%` and `!` lines into `None`, each in as many lines as it had: line numbers stay right."""
    body = source.lstrip("\n")
    try:
        python = to_python(body).removesuffix("\n")
    except Exception:  # IPython gives up on a cell; the worker will report it with its number
        return source
    # Lines that IPython leaves out at the top would shift all the others.
    kept = [""] * (len(source) - len(body))
    before = iter(body.split("\n"))
    for line in python.split("\n"):
        original = next(before, "")
        kept.append(MAGIC.sub("None", TIMED.sub(_timed, line)) if line != original else line)
        # IPython joins a command that goes on after a backslash into one line.
        while original.endswith("\\") and not line.endswith("\\"):
            original = next(before, "")
            kept.append("")
    return "\n".join(kept)


def _timed(magic: re.Match[str]) -> str:
    statement = str(ast.literal_eval(magic["statement"]))
    return statement if tree_of(statement) else "None"
