"""What a submission keeps from one call to the next: its answer is right for a part of an earlier call."""

from collections.abc import Callable, Sequence

from torch import Tensor

from grader.checks.attention import AttentionCall
from grader.checks.case import Case
from grader.checks.kata import JudgedCall
from grader.oracle.mistake import Mistake
from grader.oracle.near import is_near
from grader.oracle.pipeline import Steps
from grader.oracle.sections import BY_STEP

Taken = Callable[[Case, Case], Case | None]
"""Gives a call with a part of an earlier one; None: the wrong values could come from the call alone."""


def _mask(now: Case, then: Case) -> Case | None:
    """The call with the earlier mask; None: that hides no other keys, so part of the call's own mask may be ignored."""
    shown, earlier = now.shown, then.shown
    if earlier is None or not bool(((shown if shown is not None else earlier.new_ones(())) & ~earlier).any()):
        return None
    return now.but(allow=then.allow, keep=then.keep, bias=then.bias, is_causal=then.is_causal)


WAYS: tuple[tuple[str, str, Taken], ...] = (
    ("mask", "the mask of an earlier call was used again: the answer is right for that", _mask),
    (
        "project",
        "the keys and values of an earlier call were used again: the answer is right for those",
        lambda now, then: now.but(key=then.keys, value=then.values),
    ),
    (
        "project",
        "the keys of an earlier call were used again: the answer is right for those",
        lambda now, then: now.but(key=then.keys, value=now.values),
    ),
    (
        "project",
        "the values of an earlier call were used again: the answer is right for those",
        lambda now, then: now.but(key=now.keys, value=then.values),
    ),
)
"""The step that a part belongs to, the sentence, and the call with that part."""


def kept_from_before(oracle: Steps, calls: Sequence[JudgedCall]) -> Mistake | None:
    """The mistake that all wrong calls of a check show: each is right for one part of an earlier call.

    Args:
        oracle: the pipeline that is right.
        calls: of one check, in order.
    """
    wrong = [place for place, each in enumerate(calls) if each.is_right is False]
    for step, sentence, taken in WAYS:
        if wrong and all(_is_of_earlier(oracle, calls, place, taken) for place in wrong):
            return Mistake(
                "kept_from_an_earlier_call",
                sentence,
                why="An answer hangs on the inputs of its own call: what is kept must not outlive them.",
                own_section=BY_STEP[step],
            )
    return None


def _is_of_earlier(oracle: Steps, calls: Sequence[JudgedCall], place: int, taken: Taken) -> bool:
    now = calls[place].call
    for earlier in reversed(calls[:place]):
        if earlier.call.weights is now.weights and _gives(oracle, now, earlier.call.case, taken):
            return True
    return False


def _gives(oracle: Steps, call: AttentionCall, then: Case, taken: Taken) -> bool:
    """Whether the oracle answers with the submission's values where it takes a part of an earlier call."""
    try:
        case = taken(call.case, then)
        if case is None:
            return False
        answer = oracle.run(case, call.size, call.weights)
    except Exception:  # the parts of the two calls do not fit together
        return False
    pairs = zip(answer, call.answer, strict=True)
    return all(_are_near(one, other) for one, other in pairs if one is not None and other is not None)


def _are_near(one: Tensor, other: Tensor) -> bool:
    return one.shape == other.shape and is_near(one, other, atol=1e-6)
