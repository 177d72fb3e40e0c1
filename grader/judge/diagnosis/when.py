"""In which calls a submission is wrong, where what they share sets them apart from all that are right."""

from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import Any

from grader.checks.kata import Circumstance, Kata
from grader.judge.diagnosis.replay import all_same, answer_by
from grader.judge.engine import Run

FEWEST = 2
"""Wrong calls, and right ones: a single one shares everything with itself."""
FEWEST_OF_TWO = 3
"""Wrong calls for which two circumstances are named: the more are tried, the sooner two fit by chance."""


def fails_when(kata: Kata, runs: Sequence[Run]) -> str | None:
    """One sentence, true of every call that was made and can be judged; None: nothing sets the wrong ones apart.

    Args:
        kata: whose oracle judges the calls.
        runs: the checks that failed on values, and those that passed.
    """
    wrong, right = list[Any](), list[Any]()
    for call in (call for run in runs for call in run.trace.calls if isinstance(call, kata.key.calls)):
        is_right = _is_right(kata, call)
        if is_right is not None:
            (right if is_right else wrong).append(call)
    if min(len(wrong), len(right)) < FEWEST:
        return None
    named = _that_sets_apart(kata.key.circumstances(wrong, right), wrong, right)
    return named and f"wrong in all {len(wrong)} calls {named}, right in all {len(right)} others"


def _that_sets_apart(circumstances: Iterable[Circumstance], wrong: Sequence[Any], right: Sequence[Any]) -> str | None:
    """What all wrong calls have and no right one: a single circumstance, else two."""
    both = [way for each in circumstances for way in (each, each.opposite) if way.words]
    shared = [each for each in both if all(map(each.holds, wrong))]
    among_right = [{place for place, call in enumerate(right) if each.holds(call)} for each in shared]
    for each, places in zip(shared, among_right, strict=True):
        if not places:
            return each.words
    if len(wrong) >= FEWEST_OF_TWO:
        for one, other in combinations(range(len(shared)), 2):
            if not among_right[one] & among_right[other]:
                return f"{shared[one].words} {shared[other].words}"
    return None


def _is_right(kata: Kata, call: Any) -> bool | None:
    """Whether the values are the oracle's, gradients left out; None: nobody can tell."""
    rounding = kata.key.rounding(call)
    if rounding is None:
        return None
    answer = answer_by(kata, kata.key.oracle, call._replace(cotangent=None))
    return None if kata.key.drew(call) else all_same(answer, kata.key.returned(call), *rounding)
