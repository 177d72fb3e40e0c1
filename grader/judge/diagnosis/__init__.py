"""Names the mistakes that the submission's values prove, when it is wrong, and what to ask; left out of a kit."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from grader.checks.kata import Kata
from grader.judge.diagnosis.annotation import with_mistakes, with_questions
from grader.judge.diagnosis.replay import breaks
from grader.judge.diagnosis.search import name_mistakes
from grader.judge.diagnosis.when import fails_when
from grader.judge.engine import Engine, Run
from grader.oracle.mistake import applied
from grader.records import CheckResult, TierResult, Verdict


class Diagnosis(NamedTuple):
    """What is known of a submission beside its verdicts."""

    tiers: tuple[TierResult, ...]
    """With the mistakes that were found, and with a question for each tier that failed."""
    fails_when: str | None
    """In which calls its values are wrong, where that can be said."""


def diagnosed(engine: Engine, tiers: Sequence[TierResult]) -> Diagnosis:
    """What the values that were returned in the checks prove.

    Args:
        engine: that ran them.
        tiers: what they came to.
    """
    kata, liveness = engine.kata, engine.liveness
    places = {check.name: place for place, check in enumerate(engine.checks)}
    failures = sorted(engine.failures, key=lambda run: places[run.check.name])
    on_liveness = [Run(*liveness.failed)] if liveness.failed else []
    mistakes = dict(name_mistakes(kata, engine.seed, on_liveness + failures, engine.passes))
    of_liveness = mistakes.pop(liveness.failed[0].name, ()) if liveness.failed else ()
    program = applied(of_liveness, kata.key.oracle)
    if not all(breaks(kata, program, Run(*raised), engine.seed) for raised in liveness.raised):
        of_liveness = ()  # where the submission raised, this mistake would have answered
    if liveness.absent is not None:
        mistakes |= {check.name: of_liveness for check in engine.checks if check.tier.needs_liveness}
    named = tuple(_with_mistakes(tier, kata, mistakes) for tier in tiers)
    when = fails_when(kata, failures + engine.passes) if failures else None
    return Diagnosis(with_questions(named, kata, mistakes), when)


def _with_mistakes(tier: TierResult, kata: Kata, mistakes: Mapping[str, tuple]) -> TierResult:
    def annotated(result: CheckResult) -> CheckResult:
        named = mistakes.get(result.name)
        return with_mistakes(result, kata, named) if named and result.verdict is Verdict.FAIL else result

    return TierResult(tier.name, tier.proves, tuple(map(annotated, tier.checks)), tier.question)
