"""Cells of a notebook as Python: what only IPython runs becomes calls of `get_ipython()`, by IPython's own transformer.

In the worker these calls do nothing (grader/worker/namespace.py); the statement behind `%time` is left in its place.
"""

import ast
import re
from collections.abc import Sequence
from functools import cache
from typing import Any

from grader.records import GraderError
from grader.submission.syntax import tree_of

NOT_PYTHON = frozenset(
    "! bash sh script cmd system sx html HTML javascript js latex markdown svg SVG perl ruby "
    "pypy python python2 python3 R sql bigquery cython julia ai".split()
)
"""Cell magics whose body goes to another program or process. Any other (`%%time`) runs its body here."""
TIMED = re.compile(r"get_ipython\(\)\.run_line_magic\('time', ('.+'|\".+\")\)$", re.MULTILINE)
CONTINUED = re.compile(r"^[ \t]*[!%](?:.*\\\n)+.*", re.MULTILINE)
"""A magic or a shell command that goes on after a backslash."""
OURS = re.compile(r"^([ \t]*)from grader\.jupyter import (\w+(?:, *\w+)*)[ \t]*$", re.MULTILINE)
"""Imports of `check`, `hint` and `solution`, which are called in a Jupyter kernel."""
WRITES = ("writefile", "file")
REGISTERED = "__import__('sys').modules.setdefault({!r}, __import__(__name__))"


def python_cells(sources: Sequence[str]) -> list[str]:
    """Cells as Python, each with the line numbers that its writer sees; empty for another language (`%%bash`)."""
    return [_python(_without_ours(source), sources) for source in sources]


def without_magics(source: str) -> str:
    """A source whose `!` and `%` lines are calls of `get_ipython()`, each line where it was.

    Raises:
        GraderError: IPython is not installed.
    """
    body = CONTINUED.sub(_in_one_line, source.lstrip("\n"))  # what IPython leaves out would shift the lines below
    python = TIMED.sub(_timed, _transformer().transform_cell(body))
    return "\n" * (len(source) - len(source.lstrip("\n"))) + python


def _timed(magic: re.Match[str]) -> str:
    """The statement behind `%time`: what it defines or imports is used further down."""
    statement = str(ast.literal_eval(magic[1]))
    return statement if tree_of(statement) else magic[0]


def _in_one_line(command: re.Match[str]) -> str:
    lines = command[0].split("\\\n")
    return "".join(lines) + "\n" * (len(lines) - 1)


def _without_ours(source: str) -> str:
    """The source with names that do nothing in place of imports from the grader, which a submission never sees."""
    return OURS.sub(lambda match: f"{match[1]}{match[2].replace(',', ' =')} = get_ipython().ours", source)


def _python(source: str, sources: Sequence[str]) -> str:
    if tree_of(source):
        return source
    try:
        python = without_magics(source)
    except SyntaxError:  # IPython gives up on a cell; the worker reports it with its number
        return source
    match getattr(tree_of(python), "body", ()):
        case [ast.Expr(ast.Call(func=ast.Attribute(attr="run_cell_magic"), args=[*given]))]:
            name, line, body = (str(ast.literal_eval(each)) for each in given)
            return _of_magic(name, line, "\n" * (source.count("\n", 0, source.index("%%")) + 1) + body, sources)
    return python


def _of_magic(name: str, line: str, body: str, sources: Sequence[str]) -> str:
    """The body of a cell magic, if it is Python that is run here; else empty.

    `%%writefile mha.py` has a body that is run where a cell imports `mha`: that module is then the submission's own.
    """
    if name in NOT_PYTHON:
        return ""
    if name not in WRITES:
        return _python(body, sources)
    *folders, file = next((word for word in line.split() if not word.startswith("-")), "").strip("'\"").split("/")
    module = file.removesuffix(".py")
    uses = re.compile(rf"^\s*(?:from|import|%run)\b.*\b{re.escape(module)}\b", re.MULTILINE)
    if module == file or not any(map(uses.search, sources)):
        return ""
    # `from src import mha` looks for `mha` below the name that the module `src` has, which is the submission's.
    folder = folders[-1] if folders else ""
    names = [module, *([f"{folder}.{module}", folder, f"submission.{module}"] if folder.isidentifier() else [])]
    return "\n".join([_python(body, sources).rstrip("\n"), *map(REGISTERED.format, names)])


@cache
def _transformer() -> Any:
    try:
        from IPython.core.inputtransformer2 import TransformerManager
    except ImportError as error:
        raise GraderError(
            "IPython, which turns magics into Python, is not installed here: run python -m pip install -r "
            "requirements.txt, or remove the lines that begin with % or !."
        ) from error
    return TransformerManager()
