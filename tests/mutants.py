"""Mutants of our solutions: a library's small faults, and those that a person makes.

cosmic-ray changes operators, comparisons, numbers and keywords. What it does not change are names and calls, and there
people go wrong: a call that was forgotten, a keyword or a statement left out, one name for another.
"""

import ast
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, NamedTuple

from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator, operator_names

from tests.grading import solution

MODULES = {"math", "torch", "nn", "F", "self"}
"""Names in front of a dot that are no value: what is called on them takes its value as first argument."""


class Change(NamedTuple):
    """What sets a mutant apart from its solution: stable where other lines change, or comments, or layout.

    Attributes:
        before, after: the lines that differ, as `ast.unparse` writes them.
        occurrence: which of the equal places `before` stands at, from 0.
    """

    before: str
    after: str
    occurrence: int = 0


class Mutant(NamedTuple):
    """A program with one small change.

    Attributes:
        operator: what made it.
        line: where, in the unparsed program.
    """

    operator: str
    line: int
    change: Change
    source: str


@cache
def mutants(kata: str) -> tuple[Mutant, ...]:
    """Those of our solution."""
    return mutants_of(solution(kata))


def mutants_of(source: str) -> tuple[Mutant, ...]:
    """All that differ from the program and from one another, annotations left aside."""
    original = normal(source)
    made: dict[str, Mutant] = {}
    for operator, mutated in (*_library(source), *_own(original)):
        try:
            mutated = normal(mutated)
        except SyntaxError:
            continue
        if mutated != original and mutated not in made:
            line, change = _change(original, mutated)
            made[mutated] = Mutant(operator, line, change, mutated)
    return tuple(made.values())


def normal(source: str) -> str:
    """The source in one layout, without comments, docstrings and annotations: what runs."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.arg):
            node.annotation = None
        elif isinstance(node, ast.FunctionDef):
            node.returns = None
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node) is not None:
            node.body = node.body[1:] or [ast.Pass()]
    return ast.unparse(tree)


def _change(original: str, mutated: str) -> tuple[int, Change]:
    """The lines between those that both begin and end with."""
    old, new = original.splitlines(), mutated.splitlines()
    start = _alike(old, new)
    end = _alike(old[start:][::-1], new[start:][::-1])
    before, after = old[start : len(old) - end], new[start : len(new) - end]
    places = [i for i in range(len(old)) if old[i : i + len(before)] == before]
    text = ["\n".join(line.strip() for line in lines) for lines in (before, after)]
    return start + 1, Change(*text, occurrence=places.index(start))


def _alike(lines: list[str], others: list[str]) -> int:
    """How many lines both begin with."""
    pairs = zip(lines, others, strict=False)
    return next((i for i, (one, other) in enumerate(pairs) if one != other), min(len(lines), len(others)))


def _library(source: str) -> Iterator[tuple[str, str]]:
    """Mutants by cosmic-ray's operators; those that take arguments draw at random, and are left out."""
    for name in operator_names():
        operator = get_operator(name)
        if operator.arguments():
            continue
        occurrence = 0
        while (mutated := mutate_code(source, operator(), occurrence)) is not None:
            yield name.removeprefix("core/"), mutated
            occurrence += 1


Places = Iterator[None]
"""An operator changes the tree in place, yields, and changes it back: once for each place."""


def _own(source: str) -> Iterator[tuple[str, str]]:
    operators: tuple[Callable[[ast.Module], Places], ...] = (
        _statement_left_out,
        _condition_fixed,
        _call_forgotten,
        _keyword_left_out,
        _neighbours_swapped,
        _other_name,
    )
    for operator in operators:
        tree = ast.parse(source)
        for _ in operator(tree):
            yield operator.__name__.strip("_"), ast.unparse(tree)


def _statement_left_out(tree: ast.Module) -> Places:
    for statements in _fields(tree, "body", "orelse"):
        for i, statement in enumerate(statements):
            if not isinstance(statement, ast.FunctionDef | ast.ClassDef | ast.Import | ast.ImportFrom):
                yield from _put(statements, i, ast.Pass())


def _condition_fixed(tree: ast.Module) -> Places:
    """A branch is always taken or never, and of what is joined by `and` or `or` a part is missing."""
    for node in ast.walk(tree):
        if isinstance(node, ast.If | ast.IfExp):
            for fixed in (True, False):
                yield from _put(vars(node), "test", ast.Constant(fixed))
        if isinstance(node, ast.BoolOp):
            for value in node.values:
                yield from _put(vars(node), "values", [other for other in node.values if other is not value])


def _call_forgotten(tree: ast.Module) -> Places:
    """`f(x, ...)` and `x.f(...)` become `x`."""
    for parent, place in list(_expressions(tree)):
        call = parent[place]
        if not isinstance(call, ast.Call):
            continue
        if isinstance(call.func, ast.Attribute) and _root(call.func) not in MODULES:
            yield from _put(parent, place, call.func.value)
        elif call.args:
            yield from _put(parent, place, call.args[0])


def _keyword_left_out(tree: ast.Module) -> Places:
    for keywords in _fields(tree, "keywords"):
        for keyword in list(keywords):
            i = keywords.index(keyword)
            del keywords[i]
            yield
            keywords.insert(i, keyword)


def _neighbours_swapped(tree: ast.Module) -> Places:
    """Two arguments, two members of a tuple, the two sides of an operator; not where their order means nothing."""
    for node in ast.walk(tree):
        ordered = isinstance(node, ast.Call) and getattr(node.func, "attr", "") != "transpose"
        items = node.args if ordered else getattr(node, "elts", [])
        for i in range(1, len(items)):
            items[i - 1], items[i] = items[i], items[i - 1]
            yield
            items[i - 1], items[i] = items[i], items[i - 1]
    for node in ast.walk(tree):
        if isinstance(node, ast.BinOp) and not isinstance(node.op, ast.Add | ast.Mult):
            node.left, node.right = node.right, node.left
            yield
            node.left, node.right = node.right, node.left


def _other_name(tree: ast.Module) -> Places:
    """A variable of a function is taken for another that is there by then, or an attribute of self for another."""
    for function in [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]:
        nodes = [node for statement in function.body for node in _walk_but_raise(statement)]
        given = {node.arg: 0 for node in ast.walk(function.args) if isinstance(node, ast.arg) and node.arg != "self"}
        names = [node for node in nodes if isinstance(node, ast.Name)]
        there = {node.id: node.lineno for node in reversed(names) if isinstance(node.ctx, ast.Store)} | given
        for node in names:
            if isinstance(node.ctx, ast.Load) and node.id in there:
                for name in sorted(other for other in there if there[other] < node.lineno):
                    yield from _put(vars(node), "id", name)
    of_self = [node for node in ast.walk(tree) if isinstance(node, ast.Attribute) and _root(node.value) == "self"]
    for node in of_self:
        for name in sorted({other.attr for other in of_self}) if isinstance(node.ctx, ast.Load) else ():
            yield from _put(vars(node), "attr", name)


def _put(parent: Any, place: Any, new: object) -> Places:
    old = parent[place]
    parent[place] = new
    yield
    parent[place] = old


def _fields(tree: ast.Module, *names: str) -> Iterator[list[Any]]:
    for node in ast.walk(tree):
        for name in names:
            value = getattr(node, name, None)
            if isinstance(value, list):
                yield value


def _expressions(tree: ast.Module) -> Iterator[tuple[Any, Any]]:
    """Where each expression hangs: a dictionary or list, and the key in it."""
    for node in ast.walk(tree):
        for name, value in ast.iter_fields(node):
            if isinstance(value, ast.expr):
                yield vars(node), name
            elif isinstance(value, list):
                yield from ((value, i) for i, item in enumerate(value) if isinstance(item, ast.expr))


def _walk_but_raise(node: ast.AST) -> Iterator[ast.AST]:
    """What a message says is no part of a contract."""
    if not isinstance(node, ast.Raise):
        yield node
        for child in ast.iter_child_nodes(node):
            yield from _walk_but_raise(child)


def _root(node: ast.expr) -> str:
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""
