"""The catalogue proven on the oracle: each mistake takes the submission's place in the judge, with no worker at all."""

from __future__ import annotations

from functools import cache
from types import SimpleNamespace
from typing import Any

from torch import Tensor

from grader.checks.case import Answer, Case, Gradients
from grader.checks.draw import Draw
from grader.checks.expect import Refusal
from grader.checks.kata import Kata
from grader.checks.subject import Trace
from grader.claims.hidden.testing import ExaminedKey
from grader.judge.diagnosis import Diagnosis, diagnose
from grader.judge.engine import Engine
from grader.oracle.attention_key import OracleAttention
from grader.oracle.mistake import Mistake, apply
from grader.records import CheckResult, TierResult, Verdict
from tests.grading import names_in

SEED = 1


class RaisingAttention(OracleAttention):
    """Steps that break on a shape raise as a submission does: the judge then asks for liveness in another way."""

    def _attend(self, case: Case) -> Answer:
        try:
            return super()._attend(case)
        except RuntimeError as error:
            raise Refusal("RuntimeError", (), str(error), None) from error

    def _gradients(self, case: Case, cotangent: Tensor) -> tuple[Answer, Gradients]:
        try:
            return super()._gradients(case, cotangent)
        except RuntimeError as error:
            raise Refusal("RuntimeError", (), str(error), None) from error


class OracleEngine(Engine):
    """Runs the checks on a program of the judge; those that ask for a subject of a worker are left out."""

    def __init__(self, kata: Kata, program: Any) -> None:
        self.program = program
        self.subject = SimpleNamespace(settle=lambda: None, was_called=True)
        session = SimpleNamespace(begin_check=lambda: None, end_check=lambda: None, answered=True, doing="")
        super().__init__(kata, kata.checks, session, SEED, debug=False)
        given = {"draw", *kata.key.fixtures(kata, program, Trace(), ())}
        self.checks = [check for check in kata.checks if given >= set(check.needs)]

    def _fixtures(self, session: Any, name: str, trace: Trace) -> tuple[Any, dict[str, Any]]:
        kata, draw = self.kata, Draw(SEED, name)

        def attention(*args: Any, **kwargs: Any) -> RaisingAttention:
            size = kata.size(*args, **kwargs)
            weights, seed = kata.weights.new(draw, size)
            trace.fixtures.append((weights, seed))
            return RaisingAttention(kata, self.program, size, weights, seed, trace)

        if isinstance(kata.key, ExaminedKey):
            trace.fixtures.append(kata.key.examined(draw.shared("examination")))
        given = kata.key.fixtures(kata, self.program, trace, trace.fixtures)
        return self.subject, given | {"draw": draw} | ({"attention": attention} if "attention" in given else {})


@cache
def beyond(kata: Kata) -> dict[str, str]:
    """How each check ends, by its name, that the oracle does not pass: it asks for an object or for a refusal."""
    engine = OracleEngine(kata, kata.key.oracle)
    list(engine.run())
    return {name: _how(result) for name, result in engine.results.items() if result.verdict is not Verdict.PASS}


def run(kata: Kata, program: Any) -> tuple[TierResult, ...]:
    """The tiers of a program of the judge."""
    return diagnosis(kata, program).tiers


def diagnosis(kata: Kata, program: Any) -> Diagnosis:
    """What a report says of a program of the judge, less the checks that the oracle itself ends in the same way."""
    engine = OracleEngine(kata, program)
    list(engine.run())
    left = {name: each for name, each in engine.results.items() if _how(each) != beyond(kata).get(name)}
    engine.failures = [run for run in engine.failures if run.check.name in left]
    tiers = [
        TierResult(
            tier.name,
            kata.proves(tier),
            tuple(left[each.name] for each in kata.checks if each.name in left and each.tier is tier),
        )
        for tier in kata.tiers
    ]
    return diagnose(engine, tiers)


def _how(result: CheckResult) -> str:
    return f"{result.verdict}: {result.what}"


def first_tier(tiers: tuple[TierResult, ...]) -> str | None:
    """The first tier that fails; None where all pass."""
    return next((tier.name for tier in tiers if any(each.verdict is not Verdict.PASS for each in tier.checks)), None)


def names(kata: Kata, tiers: tuple[TierResult, ...]) -> tuple[str, ...]:
    """The mistakes that the first failure is named."""
    first = next((each for tier in tiers for each in tier.checks if each.verdict is Verdict.FAIL), None)
    return tuple(names_in(kata.name, first.mistakes if first else ()))


def proven(kata: Kata, mistake: Mistake) -> tuple[str, str | None]:
    """The first tier that fails with a mistake, and the place that is told.

    The tier is in brackets, with what was named, where that is not the mistake.
    """
    result = diagnosis(kata, apply((mistake,), kata.key.oracle))
    tier, named = first_tier(result.tiers), names(kata, result.tiers)
    text = str(tier) if named == (mistake.name,) else f"({tier}: {' and '.join(named)})"
    return text, result.parts_at
