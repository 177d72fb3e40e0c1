"""A submission's source as a syntax tree; none of it is run."""

import ast
import re
import unicodedata
import warnings
from collections.abc import Iterable
from itertools import groupby

FORMATTED = re.compile("[fF][rR]?['\"]|[rR][fF]['\"]")
MOST_FORMATTED = 5_000_000_000
"""Braces times characters, about 1 s: at each expression Python 3.11 goes through all of the f-string before it."""
MOST_DOTTED = 100_000_000
"""Characters that Python keeps while it parses `import a.b.c`: at each dot it writes the name anew up to there."""
CONTINUED = re.compile(r"\\(?:\r\n|\r|\n)")
SPACES = re.compile(r"[ \t\f]+")
DOTTED = re.compile(r"[^\s!-\-/:-@\[-^`{-~]+")
"""All that no sign but dots takes apart."""
MOST_MARKS = 100_000_000
"""Combining marks times those in a row with them, some 2 s: Python puts those of a name in order one by one."""
WORD = re.compile(r"\w+|#+|[^\w\s]")
BYTES_A_WORD = 3
"""Of the most that are read; ordinary code has 3.3 to 6. Each word or sign may be three nodes of a tree, some 2 KiB."""


def too_much(source: str) -> str | None:
    """What Python may take minutes or all memory to parse, in which no signal ends it; None: nothing."""
    if source.count("{") * len(source) > MOST_FORMATTED and FORMATTED.search(source):
        return "f-strings"
    if _marks(source) > MOST_MARKS:
        return "combining marks"
    return "dotted names" if source.count(".") * len(source) > MOST_DOTTED < _dotted(source) else None


def too_many(sources: Iterable[str], limit: int) -> str | None:
    """How many words and signs too many there are for so many bytes: each stage takes time and memory for each."""
    most = limit // BYTES_A_WORD
    return f"more than {most} words and signs" if sum(len(WORD.findall(each)) for each in sources) > most else None


def _marks(source: str) -> int:
    marks = {sign for sign in set(source) if unicodedata.combining(unicodedata.normalize("NFKD", sign)[0])}
    rows = groupby(source, marks.__contains__) if marks else ()
    return sum(len(list(row)) ** 2 for are_marks, row in rows if are_marks)


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
