"""`.py` files that are notebooks in another form: marimo's own, and exports that hold a cell as its magic's text."""

import ast
import re
from collections.abc import Sequence
from graphlib import CycleError, TopologicalSorter
from typing import NamedTuple

from grader.records import Cell
from grader.submission.definitions import DEFINITIONS
from grader.submission.syntax import tree_of

MARKER = re.compile(r"^# (?:In ?\[[\d *]*\]:|%%.*)[^\S\n]*$", re.MULTILINE)
"""What nbconvert and VS Code write above each cell: `# In[3]:`, `# %%`."""
INDENT = re.compile(r"^(?: {4}|\t)", re.MULTILINE)
FRAME = ("import marimo", "__generated_with =", "app = marimo.App(", "if __name__ ==")
"""How the lines begin that marimo writes around the cells."""
PROSE = "mo.md("


class Part(NamedTuple):
    """A cell of a marimo notebook, as its writer sees it."""

    source: str
    needs: frozenset[str] = frozenset()
    """Names that it takes from other cells, where they give them."""
    gives: frozenset[str] = frozenset()


def marimo_cells(source: str) -> tuple[Cell, ...]:
    """The cells of a marimo notebook in the order in which it runs them: what one needs comes before it.

    Each has its number in the file, from 1. None where the source is no such notebook; none that is prose.
    """
    tree = tree_of(source) if "marimo.App(" in source else None
    lines = source.split("\n")
    own = _on_own_lines(tree.body if tree else [])
    statements = [each for each in own if not lines[each.lineno - 1].startswith(FRAME)]
    if not any(_mark(each) in ("cell", "class_definition", "function") for each in statements):
        return ()
    parts = [_part(each, lines) for each in statements]
    cells = (Cell(parts[place].source, place + 1) for place in _as_run(parts))
    return tuple(cell for cell in cells if cell.source.strip() and not cell.source.startswith(PROSE))


def exported_cells(source: str) -> list[str]:
    """The cells of an export in which one is the text of its magic: `get_ipython().run_cell_magic("time", "", "...")`.

    Each is as it was in the notebook, `%%time` above it. None where the source is no such export.
    """
    if ".run_cell_magic(" not in source:
        return []
    first, *others = (part.strip("\n") for part in MARKER.split(source))
    parts = [*([first] if getattr(tree_of(first), "body", True) else []), *others]  # above all cells is a shebang alone
    cells = [_with_magic(part) for part in parts]
    return [] if cells == parts else cells


def _on_own_lines(statements: Sequence[ast.stmt]) -> list[ast.stmt]:
    """Each with those that follow it after a semicolon: a cell is made of whole lines, and each line is in one."""
    own: list[ast.stmt] = []
    for statement in statements:
        if own and statement.lineno == own[-1].end_lineno:
            own[-1].end_lineno = statement.end_lineno
        else:
            own.append(statement)
    return own


def _mark(statement: ast.stmt) -> str | None:
    """`cell` of a function below `@app.cell`, `setup` of `with app.setup:`, and so on; None: it is no cell."""
    match statement:
        case ast.FunctionDef(decorator_list=[mark, *_]) | ast.AsyncFunctionDef(decorator_list=[mark, *_]):
            pass
        case ast.ClassDef(decorator_list=[mark, *_]) | ast.With(items=[ast.withitem(context_expr=mark)]):
            pass
        case ast.Expr(value=mark):
            pass
        case _:
            return None
    match mark.func if isinstance(mark, ast.Call) else mark:
        case ast.Attribute(ast.Name("app"), name):
            return name
    return None


def _part(statement: ast.stmt, lines: Sequence[str]) -> Part:
    end = statement.end_lineno or 0
    match _mark(statement), statement:
        case "cell", ast.FunctionDef(args=args, body=[*_, last]) | ast.AsyncFunctionDef(args=args, body=[*_, last]):
            names = frozenset(arg.arg for arg in args.args)
            if not isinstance(last, ast.Return):
                return Part(_inside(lines, statement.lineno, end), names)
            gives = frozenset(node.id for node in ast.walk(last) if isinstance(node, ast.Name))
            return Part(_inside(lines, statement.lineno, last.lineno - 1), names, gives)
        case "setup", _:
            return Part(_inside(lines, statement.lineno, end))
        case "_unparsable_cell", ast.Expr(ast.Call(args=[ast.Constant(str(text)), *_])):
            return Part(INDENT.sub("", text).strip("\n"))
    used = frozenset(node.id for node in ast.walk(statement) if isinstance(node, ast.Name))
    if not isinstance(statement, DEFINITIONS):
        return Part("\n".join(lines[statement.lineno - 1 : end]), used)
    own = statement.decorator_list[1:] if _mark(statement) else statement.decorator_list
    begin = min([statement.lineno, *(mark.lineno for mark in own)])
    return Part("\n".join(lines[begin - 1 : end]), used, frozenset([statement.name]))


def _inside(lines: Sequence[str], begin: int, end: int) -> str:
    """What stands in a block from the line after its head, which ends in a colon, without its indent."""
    while begin < end and not lines[begin - 1].rstrip().endswith(":"):
        begin += 1
    return INDENT.sub("", "\n".join(lines[begin:end]))


def _as_run(parts: Sequence[Part]) -> list[int]:
    """The places of the cells, each after those that give what it needs; as they stand where they need each other."""
    giver = {name: place for place, part in enumerate(parts) for name in part.gives}
    needed = {
        place: {giver[name] for name in part.needs if giver.get(name, place) != place}
        for place, part in enumerate(parts)
    }
    try:
        return [*TopologicalSorter(needed).static_order()]
    except CycleError:
        return [*needed]


def _with_magic(source: str) -> str:
    """A cell as it was, where it is one call that runs a cell magic; any other as it is."""
    match getattr(tree_of(source), "body", None):
        case [ast.Expr(ast.Call(func=ast.Attribute(attr="run_cell_magic"), args=[*given]))] if len(given) == 3:
            texts = [part.value for part in given if isinstance(part, ast.Constant) and isinstance(part.value, str)]
            if len(texts) == 3:
                return f"%%{texts[0]} {texts[1]}".rstrip() + f"\n{texts[2]}"
    return source
