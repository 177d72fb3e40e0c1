"""A submission's source as a syntax tree; none of it is run."""

import ast
import re
import warnings

FORMATTED = re.compile("[fF][rR]?['\"]|[rR][fF]['\"]")
MOST_FORMATTED = 20_000_000_000
"""Braces times characters, about 5 s: at each expression Python 3.11 goes through all of the f-string before it."""


def is_slow(source: str) -> bool:
    """Whether Python may take minutes to parse it, in which no signal ends it."""
    return source.count("{") * len(source) > MOST_FORMATTED and FORMATTED.search(source) is not None


def tree_of(source: str) -> ast.Module | None:
    """The tree; None where the source is no Python, or nests too deeply: the worker reports what is wrong with it."""
    if is_slow(source):
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # "invalid escape sequence" and the like: untidy is still correct
            return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
