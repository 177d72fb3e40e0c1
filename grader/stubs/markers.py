"""The markers around what a candidate writes: what stands between them becomes NotImplementedError.

Where a block has a line `# IN THE STUB`, the comments below it are what the stub has in its place: code to repair.
"""

import ast
import re
from dataclasses import dataclass
from pathlib import Path

from grader.records import GraderError

IN_THE_STUB = "# IN THE STUB"


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
        text: the solution's source.
        path: the file's name for error messages.

    Raises:
        GraderError: the source is not Python; there is no marker; a marker is misspelt, without its partner,
            inside another block, or outside of any function.
    """
    functions = _functions(text, path)
    lines = text.splitlines()
    blocks = []
    for begin, end in pairs(text, path, "SOLUTION"):
        last = lines[end - 1]
        indent = last[: len(last) - len(last.lstrip())]
        blocks.append(Block(begin, end, indent, _enclosing(functions, begin, path)))
    if not blocks:
        raise GraderError(f"{path}: no '# BEGIN SOLUTION': put the markers around what the candidate writes")
    return blocks


def pairs(text: str, path: Path, word: str) -> list[tuple[int, int]]:
    """The lines, counted from 1, of each `# BEGIN WORD` and its `# END WORD`.

    Args:
        text: the source, in any language whose comments begin with #.
        path: the file's name for error messages.
        word: the word in the markers, such as `SOLUTION`.

    Raises:
        GraderError: a marker is misspelt, without its partner, or inside another block.
    """
    begin_marker, end_marker = f"# BEGIN {word}", f"# END {word}"
    nearly = re.compile(rf"\b(begin|end)\W*{word}\b", re.IGNORECASE)
    lines_of_pairs: list[tuple[int, int]] = []
    begin: int | None = None
    for number, line in enumerate(text.splitlines(), start=1):
        if not nearly.search(line):
            continue
        marker = line.strip()
        if marker not in (begin_marker, end_marker):
            raise GraderError(f"{path}:{number}: {marker!r} is no marker: write {begin_marker!r} or {end_marker!r}")
        if marker == begin_marker and begin is not None:
            raise GraderError(f"{path}:{number}: {begin_marker!r} inside the block of line {begin}: end that first")
        if marker == end_marker and begin is None:
            raise GraderError(f"{path}:{number}: {end_marker!r} has no beginning: write {begin_marker!r} before it")
        if marker == begin_marker:
            begin = number
        elif begin is not None:
            lines_of_pairs.append((begin, number))
            begin = None
    if begin is not None:
        raise GraderError(f"{path}:{begin}: {begin_marker!r} has no end: write {end_marker!r} after it")
    return lines_of_pairs


def without_solutions(text: str, path: Path) -> str:
    """Replace each marked block by its code for the stub, or else by an error that says what is not written yet.

    Raises:
        GraderError: as `blocks`; or a block has code for the stub that is not commented out.
    """
    lines = text.splitlines()
    for block in reversed(blocks(text, path)):
        message = f"{block.function} is not written yet"
        repaired = _in_the_stub(lines, block, path)
        lines[block.begin - 1 : block.end] = repaired or [f'{block.indent}raise NotImplementedError("{message}")']
    return "\n".join(lines) + "\n"


def with_solutions(text: str, path: Path) -> str:
    """Remove the markers and the code that a block has for the stub; leave the solution.

    Raises:
        GraderError: as `blocks`.
    """
    lines = text.splitlines()
    for block in reversed(blocks(text, path)):
        ours = lines[block.begin : block.end - 1]
        places = [place for place, line in enumerate(ours) if line.strip() == IN_THE_STUB]
        lines[block.begin - 1 : block.end] = ours[: places[0]] if places else ours
    return "\n".join(lines) + "\n"


def _in_the_stub(lines: list[str], block: Block, path: Path) -> list[str]:
    """The comments below `# IN THE STUB`, as code; none where there is no such line."""
    numbers = [number for number in range(block.begin, block.end) if lines[number - 1].strip() == IN_THE_STUB]
    if not numbers:
        return []
    code = []
    for number in range(numbers[0] + 1, block.end):
        before, sign, after = lines[number - 1].partition("#")
        if before.strip() or not sign:
            raise GraderError(f"{path}:{number}: below {IN_THE_STUB!r} stands code: comment it out")
        code.append((before + after.removeprefix(" ")).rstrip())
    return code


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
        raise GraderError(f"{path}:{begin}: '# BEGIN SOLUTION' outside of any function: move it into a body")
    return max(around, key=lambda node: node.lineno).name
