"""Mutants of our solutions: a library's small faults, and those that a person makes.

cosmic-ray changes operators, comparisons, numbers and constants. It leaves names and calls alone, where people go
wrong: a call forgotten, a keyword or a statement left out, one name for another (tests/mutant_operators.py).
"""

import ast
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from typing import NamedTuple

from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator, operator_names

from tests.grading import solution
from tests.mutant_operators import OPERATORS, mutated


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
    """Mutants by the operators of tests/mutant_operators.py."""
    tree = ast.parse(source)
    for operator in OPERATORS:
        for _ in mutated(tree, operator(tree)):
            yield operator.__name__, ast.unparse(tree)
