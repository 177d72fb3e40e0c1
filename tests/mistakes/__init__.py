"""Every mistake of the catalogue, made by editing our solution: one file for each kata.

A file has `EDITS`, with the mistake that must be named, `UNNAMED`, for what is wrong and has no name, with the words of
the check that must fail, and `NOT_IN_THE_CATALOGUE`: other values, of which no name may be given.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from grader.records import CheckResult, Verdict
from tests.grading import solution

VALUES = re.compile(r"values (differ|are not)$|^the same values$")

Change = tuple[str, str]
"""Text of the solution, which occurs there once, and what takes its place."""


@dataclass(frozen=True)
class Edit:
    """A solution with a mistake in it.

    Attributes:
        mistake: its name in the kata's catalogue.
        tier: the first tier that fails.
        changes: to the solution.
    """

    mistake: str
    tier: str
    changes: tuple[Change, ...]


@dataclass(frozen=True)
class Unnamed:
    """A solution that is wrong in a way that has no name.

    Attributes:
        situation: in a few words.
        tier: the first tier that fails.
        check: the first check that fails.
        what: of its result.
        expected: of its result; empty: a number that depends on the inputs.
        changes: to the solution.
    """

    situation: str
    tier: str
    check: str
    what: str
    expected: str
    changes: tuple[Change, ...]

    @property
    def numeric(self) -> bool:
        """Values tell it: no shape, type, exception, or change of what must not be changed."""
        return self.expected == "" or self.expected.startswith("a different ") or "(atol" in self.expected


def edit(mistake: str, tier: str, *changes: Change) -> Edit:
    return Edit(mistake, tier, changes)


def unnamed(situation: str, tier: str, check: str, what: str, expected: str, *changes: Change) -> Unnamed:
    return Unnamed(situation, tier, check, what, expected, changes)


STATE = {
    "the global seed is set": "torch.manual_seed(0)",
    "the default dtype is changed": "torch.set_default_dtype(torch.float64)",
    "deterministic algorithms are switched on": "torch.use_deterministic_algorithms(True)",
}


def disturbing(check: str, before_return: Callable[[str], Change]) -> tuple[Unnamed, ...]:
    """A call that changes what all of torch shares, by the check that finds it and a statement's place."""
    return tuple(
        unnamed(situation, "gradients", check, "global state changed", "none", before_return(statement))
        for situation, statement in STATE.items()
    )


def told_by_values(check: CheckResult) -> bool:
    """The check failed by values that differ, or that do not where they must."""
    return check.verdict is Verdict.FAIL and VALUES.search(check.got or "") is not None


def edited(kata: str, changes: tuple[Change, ...]) -> str:
    """The kata's solution with the changes made."""
    source = solution(kata)
    for old, new in changes:
        assert 1 == source.count(old), f"solutions/{kata}.py must hold this text once: {old}"
        source = source.replace(old, new)
    return source
