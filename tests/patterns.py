"""Python code found by what it looks like, and written anew: a name that starts with an underscore stands for any code.

`torch.softmax(_x, dim=_d)` finds every such call; `torch.sigmoid(_x)` may take its place. A name that occurs twice
stands for the same code.
"""

import ast
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any, TypeAlias

Match: TypeAlias = dict[str, Any]
"""What the names of a pattern stand for."""
Finder: TypeAlias = Callable[[ast.AST], Match | None]
Writer: TypeAlias = Callable[[Match], str | None]
"""From what was found to the code in its place, in which the names stand for the same; None: the code stays."""


@cache
def expression(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


def text_of(node: Any) -> str:
    return ast.unparse(node) if isinstance(node, ast.AST) else str(node)


def looks_like(*patterns: str) -> Finder:
    """Finds code of any of these patterns."""
    by_kind: dict[type, list[ast.expr]] = {}
    for text in patterns:
        by_kind.setdefault(type(expression(text)), []).append(expression(text))

    def find(node: ast.AST) -> Match | None:
        for pattern in by_kind.get(type(node), ()):
            match: Match = {}
            if _matched(pattern, node, match):
                return match
        return None

    return find


def _matched(pattern: Any, node: Any, match: Match) -> bool:
    if isinstance(pattern, ast.Name) and pattern.id.startswith("_"):
        if not isinstance(node, ast.expr):
            return False
        return ast.dump(match.setdefault(pattern.id, node)) == ast.dump(node)
    if type(pattern) is not type(node):
        return False
    if isinstance(pattern, ast.AST):
        for field in pattern._fields:
            if field not in ("ctx", "kind") and not _matched(getattr(pattern, field), getattr(node, field), match):
                return False
        return True
    if isinstance(pattern, list):
        return len(pattern) == len(node) and all(
            _matched(one, other, match) for one, other in zip(pattern, node, strict=True)
        )
    return bool(pattern == node)


def copied(node: Any) -> Any:
    """A tree of the fields alone.

    Libraries hang other trees on nodes, on the contexts too, which all trees share: a deep copy would have them all.
    """
    if isinstance(node, list):
        return [copied(each) for each in node]
    if not isinstance(node, ast.AST):
        return node
    return type(node)(**{name: copied(value) for name, value in ast.iter_fields(node)})


class _Filled(ast.NodeTransformer):
    def __init__(self, match: Match) -> None:
        self.match = match

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return copied(self.match.get(node.id, node))


def filled(text: str, match: Match) -> ast.expr:
    """The code of a text, with what was found in the place of the names."""
    return _Filled(match).visit(copied(expression(text)))


class _Rewritten(ast.NodeTransformer):
    """The parts of what is found are written anew before it; what is written is not looked at again."""

    def __init__(self, rules: Iterable[tuple[Finder, str | Writer]], left_out: Iterable[str]) -> None:
        self.rules, self.left_out, self.count = tuple(rules), set(left_out), 0

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return node if node.name in self.left_out else self.generic_visit(node)

    def visit(self, node: ast.AST) -> Any:
        node = super().visit(node)
        for find, write in self.rules if isinstance(node, ast.expr) else ():
            match = find(node)
            text = None if match is None else write if isinstance(write, str) else write(match)
            if match is not None and text is not None:
                self.count += 1
                return filled(text, match)
        return node


def rewritten(tree: ast.AST, *rules: tuple[Finder, str | Writer], left_out: Iterable[str] = ()) -> int:
    """Writes anew, in the tree itself, all that is found, and says how often.

    Args:
        tree: a program, or a part of one.
        rules: finders, each with the code in place of what it finds; the first that finds something is used.
        left_out: functions, by name, that stay as they are.
    """
    rewriting = _Rewritten(rules, left_out)
    rewriting.visit(tree)
    return rewriting.count


def functions(tree: ast.AST) -> list[ast.FunctionDef]:
    return [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]


def function(tree: ast.AST, name: str, parameters: Iterable[str]) -> ast.FunctionDef | None:
    """The function of that name that takes all these parameters."""
    wanted = set(parameters)
    for each in functions(tree):
        if each.name == name and wanted <= {node.arg for node in ast.walk(each.args) if isinstance(node, ast.arg)}:
            return each
    return None


def put_first(into: ast.FunctionDef, statements: str) -> None:
    """Statements before all others of a function but its docstring."""
    start = 1 if ast.get_docstring(into) is not None else 0
    into.body[start:start] = ast.parse(statements).body


def blocks(tree: ast.AST) -> list[list[ast.stmt]]:
    """All lists of statements."""
    lists = [getattr(node, field, None) for node in ast.walk(tree) for field in ("body", "orelse")]
    return [each for each in lists if isinstance(each, list) and each]
