"""A submission's source as a syntax tree; none of it is run."""

import ast
import warnings


def tree_of(source: str) -> ast.Module | None:
    """The tree; None where the source is no Python, or nests too deeply: the worker reports what is wrong with it."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # "invalid escape sequence" and the like: untidy is still correct
            return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
