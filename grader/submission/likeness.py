"""What two submissions have in common: the same text, the same but for names, or most of it."""

import re
import zlib
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from keyword import iskeyword

from grader.records import Cell

TOKEN = re.compile(
    r"""(?P<left_out>\#[^\n]*|[rbuf]{0,2}(?:\"{3}[\s\S]*?\"{3}|'{3}[\s\S]*?'{3}))
    |(?P<word>\w+)
    |(?P<other>"(?:\\.|[^"\\\n]){0,300}"|'(?:\\.|[^'\\\n]){0,300}'|[^\s\w])""",
    re.VERBOSE | re.IGNORECASE,
)
"""Bounded, so that no text takes long. Python's tokenizer may take minutes, and fails on what is no Python."""
CLOSING = (")", "]", "}")
"""Tokens that may stand at the margin and begin no statement."""
MAGIC = "get_ipython"
"""A statement that begins with this was a magic, such as `%grade`, which is no part of an answer."""
MOST = 100_000
"""The most characters of a cell that are looked at."""
LONG = 5
"""The number of tokens in a shingle, which is a run of tokens."""
KEPT = 256
"""The most shingles that a sketch keeps: those with the smallest numbers, a fair sample of all."""
FEWEST = 12
"""With fewer shingles a source has too little of its own to be compared."""
SAME, RENAMED, NEARLY = "the same", "the same but for names", "nearly the same"
NEAR = 0.8
"""Two sources are nearly the same where they have at least this share of their shingles in common."""


@dataclass(frozen=True, slots=True)
class Sketch:
    """Numbers that stand for a source, without what everybody was given, comments, triple-quoted strings and layout."""

    exact: int
    renamed: int
    """As `exact`, with each name replaced by its number in the order of first appearance."""
    shingles: frozenset[int]
    """The numbers of its runs of tokens, at most `KEPT` of them."""


def sketch(cells: Iterable[Cell], given: Collection[int] = ()) -> Sketch:
    """The sketch of a source.

    Args:
        cells: its text.
        given: what everybody was given, as `numbers` returns it.
    """
    tokens = _joined(each for each in _statements(cells) if each[0] != MAGIC and _number(each) not in given)
    own = sorted(_shingles(tokens) - set(given))[:KEPT]
    return Sketch(_number(tokens), _number(_without_names(tokens)), frozenset(own))


def numbers(cells: Iterable[Cell]) -> set[int]:
    """A number for each statement and each run of tokens."""
    statements = _statements(cells)
    return {_number(each) for each in statements} | _shingles(_joined(statements))


def _shingles(tokens: list[str]) -> set[int]:
    return {_number(tokens[place : place + LONG]) for place in range(len(tokens) - LONG + 1)}


def alike(one: Sketch, other: Sketch) -> str | None:
    """In which way two sources are alike; None: in none, or in no more than any two would be."""
    if min(len(one.shingles), len(other.shingles)) < FEWEST:
        return None
    if one.exact == other.exact:
        return SAME
    if one.renamed == other.renamed:
        return RENAMED
    if len(one.shingles & other.shingles) < NEAR * max(len(one.shingles), len(other.shingles)):
        return None  # then the sample cannot have so many in common either
    sample = sorted(one.shingles | other.shingles)[:KEPT]
    both = sum(number in one.shingles and number in other.shingles for number in sample)
    return NEARLY if both >= NEAR * len(sample) else None


def _statements(cells: Iterable[Cell]) -> list[list[str]]:
    """The tokens of each statement at the margin, with all that is indented below it."""
    statements: list[list[str]] = []
    for cell in cells:
        text = "\n" + cell.source[:MOST]
        for token in TOKEN.finditer(text):
            if token["left_out"] is not None:
                continue
            if not statements or (text[token.start() - 1] == "\n" and token[0] not in CLOSING):
                statements.append([])
            statements[-1].append(token[0])
    return statements


def _joined(statements: Iterable[list[str]]) -> list[str]:
    return [token for statement in statements for token in statement]


def _without_names(tokens: list[str]) -> list[str]:
    first: dict[str, str] = {}
    return [
        token if iskeyword(token) or not token.isidentifier() else first.setdefault(token, f"n{len(first)}")
        for token in tokens
    ]


def _number(tokens: list[str]) -> int:
    return zlib.crc32(" ".join(tokens).encode("utf-8", "replace"))
