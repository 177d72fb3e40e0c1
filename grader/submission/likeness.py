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
"""Bounded, so that no text takes long. Python's own tokens may take minutes, and fail on what is no Python."""
CLOSING = (")", "]", "}")
"""What may stand at the margin and begins no statement."""
MAGIC = "get_ipython"
"""What a statement begins with that was a magic, as `%grade`: it is no part of an answer."""
MOST = 100_000
"""Characters of a cell that are looked at."""
LONG = 5
"""Tokens of a shingle."""
KEPT = 256
"""Of a sketch the shingles with the smallest numbers: a fair sample of all."""
FEWEST = 12
"""Shingles, below which there is nothing of one's own to be like anything."""
SAME, RENAMED, NEARLY = "the same", "the same but for names", "nearly the same"
NEAR = 0.8
"""The share of their shingles that two have in common, of which it is said."""


@dataclass(frozen=True, slots=True)
class Sketch:
    """Of what a source has beside what everybody was given, without comments, texts in triple quotes, and layout."""

    exact: int
    renamed: int
    """With each name replaced by the number of the first place that it stands at."""
    shingles: frozenset[int]
    """Of runs of tokens."""


def sketch(cells: Iterable[Cell], given: Collection[int] = ()) -> Sketch:
    """Of a source.

    Args:
        cells: its text.
        given: what everybody was given, as `numbers` tells it.
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
    """In which way two are alike; None: in none, or in no more than anybody's would be."""
    if min(len(one.shingles), len(other.shingles)) < FEWEST:
        return None
    if one.exact == other.exact:
        return SAME
    if one.renamed == other.renamed:
        return RENAMED
    if len(one.shingles & other.shingles) < NEAR * max(len(one.shingles), len(other.shingles)):
        return None  # nor could the sample have so many in common
    sample = sorted(one.shingles | other.shingles)[:KEPT]
    both = sum(number in one.shingles and number in other.shingles for number in sample)
    return NEARLY if both >= NEAR * len(sample) else None


def _statements(cells: Iterable[Cell]) -> list[list[str]]:
    """Tokens, by the statement at the margin that they are part of."""
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
