"""What katas share in which the candidate writes a test: it is given implementations, some right and some wrong."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from grader.checks.draw import Draw
from grader.checks.expect import Mismatch
from grader.checks.kata import Fixture, Kata
from grader.checks.subject import Call, Implementation, Manner, Result, Subject
from grader.checks.tiers import Claim, Tier

REFUSAL = "AssertionError"
FIRST = "before this is tried, plain right ones and plain wrong ones have to be told apart"

RUNS = Tier("runs", "its two answers are None and AssertionError", needs_liveness=False)
ACCEPTS = Tier("right ones accepted", "what has the property is accepted, however else it computes")
REFUSES = Tier("wrong ones caught", "what lacks the property is refused, wherever that hides")
NO_TRACE = Tier("leaves no trace", "what it was given, and torch's own state, are left as they were")


def try_test(subject: Subject, function: str, given: Implementation) -> Result:
    """What the test makes of an implementation, where gradients are on as they mostly are.

    Args:
        subject: the submission.
        function: the test's name.
        given: the implementation.
    """
    return subject.ask(Call(function, (given,)), Manner(recording=True))


def examination(kata: Kata, subject: Subject, draw: Draw) -> Any:
    """The `examination` fixture: the verdicts on all implementations of the run; None in a kit, which has none.

    Args:
        kata: whose implementations the test is given.
        subject: the submission.
        draw: of the check.
    """
    return None if kata.key is None else kata.key.examination(kata, subject, draw)


@ACCEPTS()
def tells_them_apart(examination: Any) -> None:
    """It accepts plain right ones and refuses wrong ones whose flaw no test can miss."""
    plain = [each for each in examination.examined if each.is_plain]
    try:
        examination.accepts(*(each.name for each in plain if each.is_right))
        examination.refuses(*(each.name for each in plain if not each.is_right))
    except Mismatch as mismatch:
        raise Mismatch(f"{FIRST}: {mismatch.what}", mismatch.expected, mismatch.got) from mismatch


class TestingKata(Kata):
    """A test that the candidate writes, as one function of one implementation."""

    shares: ClassVar[Mapping[Tier, int]] = {RUNS: 10, ACCEPTS: 32, REFUSES: 42, NO_TRACE: 16}
    fixtures: ClassVar[Mapping[str, Fixture]] = {"examination": examination}
    liveness: ClassVar[tuple[Claim, ...]] = (tells_them_apart,)
