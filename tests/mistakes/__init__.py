"""Wrong solutions made by editing ours: a file for each kata, a mistake in the first kata that has it.

That each mistake is caught and named in every kata that has it is proven on the oracle (tests/test_catalogue.py);
these edits prove that source gives the same values. A file has `EDITS`, with the mistake that must be named,
`IN_WORDS`, wrong in a way that no value shows, with the words of the check that must fail, and `WITHOUT_A_NAME`: other
values, of which no name may be given.
"""

from collections.abc import Callable
from importlib import import_module
from typing import NamedTuple

from tests.grading import solution

Change = tuple[str, str]
"""Text of the solution, which occurs there once, and what takes its place."""


class Edit(NamedTuple):
    """A mistake of the catalogue, by its name, and the changes to the solution that make it."""

    mistake: str
    changes: tuple[Change, ...]


class InWords(NamedTuple):
    """A solution that is wrong in a way that no value shows.

    Attributes:
        situation: in a few words.
        check: the first one that fails.
        what: of its result.
        expected: of its result.
        changes: to the solution.
    """

    situation: str
    check: str
    what: str
    expected: str
    changes: tuple[Change, ...]


def edit(mistake: str, *changes: Change) -> Edit:
    return Edit(mistake, changes)


def in_words(situation: str, check: str, what: str, expected: str, *changes: Change) -> InWords:
    return InWords(situation, check, what, expected, changes)


STATE = {
    "the global seed is set": "torch.manual_seed(0)",
    "the default dtype is changed": "torch.set_default_dtype(torch.float64)",
    "deterministic algorithms are switched on": "torch.use_deterministic_algorithms(True)",
}


def disturbing(check: str, before_return: Callable[[str], Change]) -> tuple[InWords, ...]:
    """A call that changes what all of torch shares, by the check that finds it and a statement's place."""
    return tuple(
        in_words(situation, check, "global state changed", "none", before_return(statement))
        for situation, statement in STATE.items()
    )


def of_four_largest(scores: str) -> str:
    """Scores with -inf for all but each query's four largest."""
    return f"(given := {scores}).masked_fill(given < given.topk(min(4, given.size(-1))).values[..., -1:], -math.inf)"


def edited(kata: str, changes: tuple[Change, ...]) -> str:
    """The kata's solution with the changes made."""
    source = solution(kata)
    for old, new in changes:
        assert 1 == source.count(old), f"solutions/{kata}.py must hold this text once: {old}"
        source = source.replace(old, new)
    return source


def made(kata: str, *names: str) -> str:
    """The kata's solution with mistakes, or situations, of its file."""
    file = import_module(f"tests.mistakes.{kata}")
    changes = {each[0]: each.changes for each in (*file.EDITS, *getattr(file, "IN_WORDS", ()))}
    changes |= file.WITHOUT_A_NAME
    return edited(kata, tuple(change for name in names for change in changes[name]))
