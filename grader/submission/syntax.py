"""A submission's source as a syntax tree; none of it is run."""

import ast
import re
import warnings

FORMATTED = re.compile("[fF][rR]?['\"]|[rR][fF]['\"]")
MOST_FORMATTED = 20_000_000_000
"""Braces times characters, about 5 s: at each expression Python 3.11 goes through all of the f-string before it."""


MOST_DOTTED = 100_000_000
"""Characters that Python keeps while it parses `import a.b.c`: at each dot it writes the name anew up to there."""
CONTINUED = re.compile(r"\\(?:\r\n|\r|\n)")
SPACES = re.compile(r"[ \t\f]+")
DOTTED = re.compile(r"[^\s!-\-/:-@\[-^`{-~]+")
"""All that no sign but dots takes apart."""


def too_much(source: str) -> str | None:
    """What Python may take minutes or all memory to parse, in which no signal ends it; None: nothing."""
    if source.count("{") * len(source) > MOST_FORMATTED and FORMATTED.search(source):
        return "f-strings"
    return "dotted names" if source.count(".") * len(source) > MOST_DOTTED < _dotted(source) else None


def _dotted(source: str) -> int:
    together = SPACES.sub(" ", CONTINUED.sub(" ", source)).replace(" .", ".").replace(". ", ".")
    return sum(name.count(".") * len(name) for name in DOTTED.findall(together))


def tree_of(source: str) -> ast.Module | None:
    """The tree; None where the source is no Python, or nests too deeply: the worker reports what is wrong with it."""
    if too_much(source):
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # "invalid escape sequence" and the like: untidy is still correct
            return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
