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
    """Of a source, without comments, texts in triple quotes, and layout."""

    exact: int
    renamed: int
    """With each name replaced by the number of the first place that it stands at."""
    shingles: frozenset[int]
    """Of runs of tokens that its stub has not."""


def sketch(cells: Iterable[Cell], stub: Collection[int] = ()) -> Sketch:
    """Of a source.

    Args:
        cells: its text.
        stub: the shingles of what everybody was given (`shingles`).
    """
    tokens = _tokens(cells)
    own = sorted(_shingles(tokens) - set(stub))[:KEPT]
    return Sketch(_number(tokens), _number(_without_names(tokens)), frozenset(own))


def shingles(cells: Iterable[Cell]) -> set[int]:
    """A number for each run of tokens."""
    return _shingles(_tokens(cells))


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


def _tokens(cells: Iterable[Cell]) -> list[str]:
    return [found[0] for cell in cells for found in TOKEN.finditer(cell.source[:MOST]) if found["left_out"] is None]


def _without_names(tokens: list[str]) -> list[str]:
    first: dict[str, str] = {}
    return [
        token if iskeyword(token) or not token.isidentifier() else first.setdefault(token, f"n{len(first)}")
        for token in tokens
    ]


def _number(tokens: list[str]) -> int:
    return zlib.crc32(" ".join(tokens).encode("utf-8", "replace"))
