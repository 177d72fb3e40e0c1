"""The markers around what a candidate writes: what stands between them becomes NotImplementedError."""

import ast
import re
from dataclasses import dataclass
from pathlib import Path

from grader.records import GraderError

_BEGIN = "# BEGIN SOLUTION"
_END = "# END SOLUTION"
_NEARLY = re.compile(r"\b(begin|end)\W*solution\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Block:
    """Lines `begin` to `end`, counted from 1, both markers included."""

    begin: int
    end: int
    indent: str
    function: str
    """Name of the innermost function around the block."""


def blocks(text: str, path: Path) -> list[Block]:
    """Find the marked blocks of a solution.

    Args:
        text: The solution's source.
        path: The name under which errors speak of it.

    Raises:
        GraderError: The source is not Python; there is no marker; a marker is misspelt, without its partner,
            inside another block, or outside of any function.
    """
    functions = _functions(text, path)
    found: list[Block] = []
    begin: int | None = None
    for number, line in enumerate(text.splitlines(), start=1):
        if not _NEARLY.search(line):
            continue
        marker = line.strip()
        if marker not in (_BEGIN, _END):
            raise GraderError(f"{path}:{number}: {marker!r} is no marker: write {_BEGIN!r} or {_END!r}")
        if marker == _BEGIN and begin is not None:
            raise GraderError(f"{path}:{number}: {_BEGIN!r} inside the block of line {begin}: end that first")
        if marker == _END and begin is None:
            raise GraderError(f"{path}:{number}: {_END!r} has no beginning: write {_BEGIN!r} before it")
        if marker == _BEGIN:
            begin = number
        elif begin is not None:
            indent = line[: len(line) - len(line.lstrip())]
            found.append(Block(begin, number, indent, _enclosing(functions, begin, path)))
            begin = None
    if begin is not None:
        raise GraderError(f"{path}:{begin}: {_BEGIN!r} has no end: write {_END!r} after it")
    if not found:
        raise GraderError(f"{path}: no {_BEGIN!r}: put the markers around what the candidate writes")
    return found


def without_solutions(text: str, path: Path) -> str:
    """Replace each marked block by an error that says what is not written yet.

    Raises:
        GraderError: As `blocks`.
    """
    lines = text.splitlines()
    for block in reversed(blocks(text, path)):
        message = f"{block.function} is not written yet"
        lines[block.begin - 1 : block.end] = [f'{block.indent}raise NotImplementedError("{message}")']
    return "\n".join(lines) + "\n"


def with_solutions(text: str, path: Path) -> str:
    """Take the markers away and leave what stands between them.

    Raises:
        GraderError: As `blocks`.
    """
    lines = text.splitlines()
    for block in reversed(blocks(text, path)):
        del lines[block.end - 1]
        del lines[block.begin - 1]
    return "\n".join(lines) + "\n"


def _functions(text: str, path: Path) -> list[ast.FunctionDef]:
    try:
        tree = ast.parse(text)
    except SyntaxError as error:
        raise GraderError(f"{path}:{error.lineno}: {error.msg}: correct the solution") from None
    return [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]


def _enclosing(functions: list[ast.FunctionDef], begin: int, path: Path) -> str:
    # Not the end marker: as a comment it is no node of the tree, and may lie behind the function's last line.
    around = [node for node in functions if node.lineno < begin <= (node.end_lineno or 0)]
    if not around:
        raise GraderError(f"{path}:{begin}: {_BEGIN!r} outside of any function: move it into a body")
    return max(around, key=lambda node: node.lineno).name
