"""A submission's source as syntax trees; none of it is run."""

import ast
import warnings
from collections.abc import Iterable, Iterator
from functools import lru_cache

from grader.records import Cell


@lru_cache(maxsize=16)
def parse(source: str) -> ast.Module:
    """The syntax tree of a source, shared by all callers: none may change it.

    Raises:
        SyntaxError: it is no Python.
        ValueError: likewise.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # "invalid escape sequence" and the like: untidy is still correct
        return ast.parse(source)


def tree_of(source: str) -> ast.Module | None:
    """The syntax tree; None where the source is no Python: the worker reports what is wrong with it."""
    try:
        return parse(source)
    except (SyntaxError, ValueError):
        return None


def trees_of(cells: Iterable[Cell]) -> Iterator[ast.Module]:
    """The syntax trees of the cells that are Python."""
    return (tree for tree in (tree_of(cell.source) for cell in cells) if tree is not None)
