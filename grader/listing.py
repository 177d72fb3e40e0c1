"""A list of words in a sentence."""

from collections.abc import Iterable


def listed(words: Iterable[object]) -> str:
    """`a`, `a and b`, `a, b and c`; there is one at least."""
    *others, last = map(str, words)
    return f"{', '.join(others)} and {last}" if others else last
