"""The catalogue proven on the oracle: each mistake takes the submission's place in the judge, with no worker at all."""

from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

from torch import Tensor

from grader.checks.attention import Trace
from grader.checks.case import Answer, Case, Gradients, Size
from grader.checks.draw import Draw
from grader.checks.expect import Mismatch, Refused
from grader.checks.kata import Kata
from grader.checks.tiers import TIERS, Check
from grader.judge.diagnose import name_mistakes
from grader.judge.life import Life
from grader.judge.replay import Ran
from grader.oracle.attention import OracleAttention
from grader.oracle.mistake import Mistake, applied
from grader.oracle.pipeline import Steps
from tests.grading import oracle

SEED = 1


class RaisingAttention(OracleAttention):
    """Steps that break on a shape raise as a submission does: the judge then asks for liveness in another way."""

    def _attend(self, case: Case) -> Answer:
        try:
            return super()._attend(case)
        except RuntimeError as error:
            raise Refused("RuntimeError", (), str(error), None) from error

    def _gradients(self, case: Case, cotangent: Tensor) -> tuple[Answer, Gradients]:
        try:
            return super()._gradients(case, cotangent)
        except RuntimeError as error:
            raise Refused("RuntimeError", (), str(error), None) from error


class Run(NamedTuple):
    """What checks of a kata said of steps of the oracle.

    Attributes:
        failures: in the order of the tiers.
        passes: of checks.
        broken: checks that the steps could not answer: they raised, or returned what no check computes with.
    """

    failures: tuple[Ran, ...]
    passes: tuple[Ran, ...]
    broken: tuple[Check, ...]

    @property
    def tier(self) -> str | None:
        """The first one that fails; None where all pass."""
        failed = {*(ran.check.tier for ran in self.failures), *(check.tier for check in self.broken)}
        return next((tier.name for tier in TIERS if tier in failed), None)


@cache
def beyond(kata: Kata) -> dict[str, str]:
    """How each check ends, by its name, that the oracle does not pass: it asks for an object or for a refusal."""
    return {check.name: how for check, how, _ in _ended(kata, oracle(kata.name)) if how}


def run(kata: Kata, steps: Steps) -> Run:
    """The checks of a kata, asked of these steps; left out are those that the oracle itself ends in the same way."""
    failures, passes, broken = [], [], []
    for check, how, ran in _ended(kata, steps):
        if not how:
            passes.append(ran)
        elif how != beyond(kata).get(check.name):
            (failures if ran.trace.tensors else broken).append(ran)
    return Run(tuple(failures), tuple(passes), tuple(ran.check for ran in broken))


def _ended(kata: Kata, steps: Steps) -> Iterator[tuple[Check, str, Ran]]:
    """Each check in the order of the tiers, how it ended, empty where it passed, and its calls."""

    def maker(draw: Draw, trace: Trace) -> Any:
        def attention(*args: Any, **kwargs: Any) -> RaisingAttention:
            size = Size(*args, **kwargs)
            weights, seed = kata.weights(draw, size)
            trace.weights.append((weights, seed))
            return RaisingAttention(kata, steps, size, weights, seed, trace)

        return attention

    life = Life(SEED, maker, lambda: "")
    for check in sorted(kata.checks, key=lambda check: TIERS.index(check.tier)):
        draw, ran = Draw(SEED, check.name), Ran(check, Trace())
        how = ""
        try:
            life.ask(check.tier)
            check.run(attention=maker(draw, ran.trace), draw=draw)
        except Mismatch as mismatch:
            how = f"{mismatch.what}, expected {mismatch.expected}"
            if mismatch is life.missing and life.failed is not None:
                ran = Ran(*life.failed)
        except Exception as problem:  # steps that were replaced may break on shapes, or a check on what they return
            how = str(problem)
            ran = Ran(check, Trace())
        yield check, how, ran


def names(kata: Kata, found: Run) -> tuple[str, ...]:
    """The mistakes that the judge names at the first failure."""
    named = name_mistakes(kata, SEED, found.failures, found.passes)
    first = found.failures[0].check.name if found.failures else ""
    return tuple(mistake.name for mistake in named.get(first, ()))


def proven(kata: Kata, mistake: Mistake) -> str:
    """The first tier that fails with a mistake; in brackets, with what was named, where that is not the mistake."""
    found = run(kata, applied((mistake,), oracle(kata.name)))
    named = names(kata, found)
    return str(found.tier) if named == (mistake.name,) else f"({found.tier}: {' and '.join(named)})"
