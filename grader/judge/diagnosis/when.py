"""Says in which calls a submission is wrong or raises, if what they share sets them apart from all right calls."""

from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import Any

from grader.checks.kata import Circumstance, JudgedCall, Kata
from grader.judge.engine import Run

FEWEST = 2
"""The fewest wrong calls, and the fewest right ones: a single call shares everything with itself."""
FEWEST_OF_TWO = 3
"""The fewest wrong calls for which two circumstances are named at once: of many pairs, some fit by chance.

Two alternatives ("with a mask or in train mode") are named only if each is needed for `FEWEST` wrong calls.
"""


def fails_when(kata: Kata, judged: Iterable[JudgedCall]) -> str | None:
    """Return a sentence that is true of every call that can be judged; None: nothing sets the wrong calls apart.

    Args:
        kata: the kata of the calls.
        judged: the calls of the checks that failed on values, and of those that passed.
    """
    wrong, right = list[Any](), list[Any]()
    for each in judged:
        if each.is_right is not None:
            (right if each.is_right else wrong).append(each.call)
    if min(len(wrong), len(right)) < FEWEST:
        return None
    apart = that_sets_apart(_circumstances(kata, wrong, right), wrong, right)
    return (
        f"wrong in all {len(wrong)} compared calls {apart.words}, right in all {len(right)} others" if apart else None
    )


def raises_when(kata: Kata, refusals: Iterable[Run], others: Iterable[Run]) -> str | None:
    """Return a sentence that is true of every call that can be replayed; None: nothing sets those that raised apart.

    Args:
        kata: the kata of the calls.
        refusals: the checks that ended because the submission raised in a call.
        others: the checks that ended otherwise.
    """
    refusals = list(refusals)
    raised = [run.trace.refused[-1] for run in refusals if run.trace.refused]
    returned = [call for run in [*refusals, *others] for call in run.trace.calls if isinstance(call, kata.key.calls)]
    if min(len(raised), len(returned)) < FEWEST:
        return None
    apart = that_sets_apart(_circumstances(kata, raised, returned), raised, returned)
    if apart is None:
        return None
    otherwise = apart.otherwise or "others"
    return f"raised in all {len(raised)} calls {apart.words} and in none of the {len(returned)} {otherwise}"


def _circumstances(kata: Kata, wrong: Sequence[Any], right: Sequence[Any]) -> Iterable[Circumstance]:
    return (*kata.key.circumstances(kata, wrong, right), *kata.key.histories())


def that_sets_apart(
    circumstances: Iterable[Circumstance], wrong: Sequence[Any], right: Sequence[Any]
) -> Circumstance | None:
    """Return what all wrong calls have and no right one: one circumstance, else two at once, else either of two.

    Args:
        circumstances: the circumstances to try, the simpler before the more special.
        wrong: the wrong calls.
        right: the right calls.
    """
    both = [way for each in circumstances for way in (each, each.opposite) if way.words]
    shared = [each for each in both if all(map(each.holds, wrong))]
    among_right = [{place for place, call in enumerate(right) if each.holds(call)} for each in shared]
    for each, places in zip(shared, among_right, strict=True):
        if not places:
            return each
    if len(wrong) >= FEWEST_OF_TWO:
        for one, other in combinations(range(len(shared)), 2):
            if not among_right[one] & among_right[other]:
                return _both(shared[one], shared[other])
    absent = [each for each in both if not any(map(each.holds, right))]
    among_wrong = [{place for place, call in enumerate(wrong) if each.holds(call)} for each in absent]
    for one, other in combinations(range(len(absent)), 2):
        first, second = among_wrong[one], among_wrong[other]
        if len(first | second) == len(wrong) and min(len(first - second), len(second - first)) >= FEWEST:
            return _either(absent[one], absent[other])
    return None


def _both(one: Circumstance, other: Circumstance) -> Circumstance:
    """Return the circumstance that two hold at once.

    Its words: `of cross-attention in train mode`; `with S != L and with padding`; `with a mask but without padding`.
    """
    if one.words.startswith("without ") and other.words.startswith("with "):
        one, other = other, one
    first, second = (each.words.partition(" ")[0] for each in (one, other))
    joint = " and " if first == second else " but " if (first, second) == ("with", "without") else " "
    words = f"{one.words}{joint}{other.words}"
    return Circumstance(lambda call: one.holds(call) and other.holds(call), words, "")


def _either(one: Circumstance, other: Circumstance) -> Circumstance:
    return Circumstance(lambda call: one.holds(call) or other.holds(call), f"{one.words} or {other.words}", "")
