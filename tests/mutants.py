"""Mutants of our solutions: a library's small faults, and those that a person makes.

cosmic-ray changes operators, comparisons, numbers and constants. It leaves names and calls alone, where people go
wrong: a call forgotten, a keyword or a statement left out, one name for another. Such an operator of ours is given a
program, and says of each node what may be in its place.
"""

import ast
import copy
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import cache
from typing import Any, NamedTuple

from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator, operator_names

from tests.grading import solution

NO_VALUES = {"math", "torch", "nn", "F", "self"}
"""Names in front of a dot that are no value: what is called on them takes its value as first argument."""
KEPT = (ast.FunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom, ast.Pass)

InItsPlace = Callable[[Any], Iterable[ast.AST]]


def statement_left_out(tree: ast.Module) -> InItsPlace:
    """A statement is `pass`."""
    return lambda node: [ast.Pass()] if isinstance(node, ast.stmt) and not isinstance(node, KEPT) else []


def condition_fixed(tree: ast.Module) -> InItsPlace:
    """A branch is always taken or never, and of what is joined by `and` or `or` a part is missing."""

    def instead(node: Any) -> Iterator[ast.AST]:
        if isinstance(node, ast.If | ast.IfExp):
            yield from (_with(node, test=ast.Constant(fixed)) for fixed in (True, False))
        if isinstance(node, ast.BoolOp):
            yield from (_with(node, values=rest) for rest in _one_less(node.values))

    return instead


def call_forgotten(tree: ast.Module) -> InItsPlace:
    """`f(x, ...)` and `x.f(...)` are `x`."""

    def instead(node: Any) -> Iterator[ast.AST]:
        if isinstance(node, ast.Call):
            if isinstance(node.func, ast.Attribute) and _root(node.func) not in NO_VALUES:
                yield node.func.value
            elif node.args:
                yield node.args[0]

    return instead


def keyword_left_out(tree: ast.Module) -> InItsPlace:
    """A call has one keyword less."""
    return lambda node: (_with(node, keywords=rest) for rest in _one_less(getattr(node, "keywords", [])))


def neighbours_swapped(tree: ast.Module) -> InItsPlace:
    """Two arguments, two members of a tuple, the two sides of an operator; not where their order means nothing."""

    def instead(node: Any) -> Iterator[ast.AST]:
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "") != "transpose":
            yield from (_with(node, args=swapped) for swapped in _swapped(node.args))
        if isinstance(node, ast.Tuple | ast.List):
            yield from (_with(node, elts=swapped) for swapped in _swapped(node.elts))
        if isinstance(node, ast.BinOp) and not isinstance(node.op, ast.Add | ast.Mult):
            yield _with(node, left=node.right, right=node.left)

    return instead


def other_name(tree: ast.Module) -> InItsPlace:
    """A variable of a function is another that is there by then."""
    choices = {}
    for function in [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]:
        given = {node.arg: 0 for node in ast.walk(function.args) if isinstance(node, ast.arg) and node.arg != "self"}
        names = [node for statement in function.body for node in _outside_messages(statement)]
        there = {node.id: node.lineno for node in reversed(names) if isinstance(node.ctx, ast.Store)} | given
        for node in names:
            if isinstance(node.ctx, ast.Load) and node.id in there:
                choices[node] = sorted(name for name in there if there[name] < node.lineno)
    return lambda node: (_with(node, id=name) for name in choices.get(node, ()))


def other_attribute(tree: ast.Module) -> InItsPlace:
    """An attribute of self is another one."""
    of_self = [node for node in ast.walk(tree) if isinstance(node, ast.Attribute) and _root(node.value) == "self"]
    loaded = {node for node in of_self if isinstance(node.ctx, ast.Load)}
    names = sorted({node.attr for node in of_self})
    return lambda node: (_with(node, attr=name) for name in names if node in loaded)


OPERATORS = (
    statement_left_out,
    condition_fixed,
    call_forgotten,
    keyword_left_out,
    neighbours_swapped,
    other_name,
    other_attribute,
)


def mutated(tree: ast.Module, instead: InItsPlace) -> Iterator[None]:
    """Puts something else in the place of each node, yields, and puts the node back."""
    for parent in list(ast.walk(tree)):
        for field, value in list(ast.iter_fields(parent)):
            nodes = value if isinstance(value, list) else [value]
            for i, node in enumerate(nodes):
                for new in instead(node) if isinstance(node, ast.AST) else ():
                    setattr(parent, field, [*nodes[:i], new, *nodes[i + 1 :]] if isinstance(value, list) else new)
                    yield
            setattr(parent, field, value)


def _with(node: ast.AST, **fields: object) -> ast.AST:
    changed = copy.copy(node)
    for name, value in fields.items():
        setattr(changed, name, value)
    return changed


def _one_less(nodes: list[Any]) -> Iterator[list[Any]]:
    return ([*nodes[:i], *nodes[i + 1 :]] for i in range(len(nodes)))


def _swapped(nodes: list[Any]) -> Iterator[list[Any]]:
    return ([*nodes[: i - 1], nodes[i], nodes[i - 1], *nodes[i + 1 :]] for i in range(1, len(nodes)))


def _outside_messages(node: ast.AST) -> Iterator[ast.Name]:
    """The names in it; what an error says is no part of a contract."""
    if isinstance(node, ast.Name):
        yield node
    inside = [node.test] if isinstance(node, ast.Assert) else ast.iter_child_nodes(node)
    if not isinstance(node, ast.Raise):
        for child in inside:
            yield from _outside_messages(child)


def _root(node: ast.expr) -> str:
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


# Mutants


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
    """Those of our solution, but for what a program to be repaired is compared with below it."""
    source = solution(kata)
    last = max(
        node.end_lineno or 0 for node in ast.parse(source).body if isinstance(node, ast.FunctionDef | ast.ClassDef)
    )
    return mutants_of("\n".join(source.splitlines()[:last]))


def mutants_of(source: str) -> tuple[Mutant, ...]:
    """All that differ from the program and from one another, annotations left aside."""
    original = normal(source)
    made: dict[str, Mutant] = {}
    for operator, other in (*_library(original), *_by_people(original)):
        if other != original and other not in made:
            line, change = _change(original, other)
            made[other] = Mutant(operator, line, change, other)
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


def _change(original: str, other: str) -> tuple[int, Change]:
    """The lines between those that both begin and end with."""
    old, new = original.splitlines(), other.splitlines()
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
    nodes = list(ast_nodes(get_ast(source)))
    for name in operator_names():
        operator = get_operator(name)
        if not operator.arguments():
            places = sum(1 for node in nodes for _ in operator().mutation_positions(node))
            for occurrence in range(places):
                with suppress(SyntaxError):  # the star of a signature is taken for a product
                    yield name.removeprefix("core/"), normal(mutate_code(source, operator(), occurrence))


def _by_people(source: str) -> Iterator[tuple[str, str]]:
    """Mutants by our own operators."""
    tree = ast.parse(source)
    for operator in OPERATORS:
        for _ in mutated(tree, operator(tree)):
            yield operator.__name__, ast.unparse(tree)
