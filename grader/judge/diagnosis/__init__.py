"""Names the mistakes that a submission's values prove, says when it is wrong and what to ask; left out of a kit."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from grader.checks.kata import Kata, Raise
from grader.judge.diagnosis.annotation import with_mistakes, with_questions
from grader.judge.diagnosis.answers import Answers
from grader.judge.diagnosis.pictures import with_pictures
from grader.judge.diagnosis.proof import Named
from grader.judge.diagnosis.replay import breaks, replay_failure
from grader.judge.diagnosis.search import name_mistakes
from grader.judge.diagnosis.when import fails_when, raises_when
from grader.judge.diagnosis.where import is_finite, judge_calls, on_weights, wrong_helpers
from grader.judge.engine import Engine, Run
from grader.judge.findings import EXPLAINED
from grader.oracle.mistake import apply
from grader.records import CheckResult, TierResult, Verdict

FEWEST_KEPT = 2
"""The fewest checks that the reuse of an earlier call must explain before it is named.

In a single check, the mask of the earlier call may equal the call's own mask, read along other axes.
"""


class Diagnosis(NamedTuple):
    """What is known of a submission beside its verdicts."""

    tiers: tuple[TierResult, ...]
    """The tiers with the mistakes that were found, with pictures, and with a question for each tier that failed."""
    parts_at: str | None
    """The first place from which its values are wrong, where that can be said."""
    fails_when: str | None
    """In which calls its values are wrong or it raised, where that can be said."""


def diagnose(engine: Engine, tiers: Sequence[TierResult]) -> Diagnosis:
    """Return what the values that the submission returned in the checks prove.

    Args:
        engine: the engine that ran the checks.
        tiers: the results of the checks.
    """
    kata, liveness = engine.kata, engine.liveness
    places = {check.name: place for place, check in enumerate(engine.checks)}
    failing = sorted(engine.failures, key=lambda run: places[run.check.name])
    failures = [run for run in failing if run.trace.leaves]
    on_liveness = [Run(*liveness.failed)] if liveness.failed else []
    answers = Answers(kata)
    failed = {run.check.name: judge_calls(answers, run) for run in on_liveness + failures}
    passed = [call for run in engine.passes for call in judge_calls(answers, run, passed=True)] if failed else []
    parts = kata.key.parts_at(kata, list(failed.values()), passed) if failed else None
    suspected = parts.steps if parts else ()
    mistakes = dict(name_mistakes(answers, engine.seed, on_liveness + failures, engine.passes, suspected))
    looked_at = {check.name: check.what or "" for tier in tiers for check in tier.checks}
    for run in failing:
        if mistake := kata.key.in_own_weights(run.trace.calls, looked_at.get(run.check.name, "")):
            mistakes.setdefault(run.check.name, (mistake,))
    unnamed = {name: calls for name, calls in failed.items() if name not in mistakes}
    kept = {name: (one,) for name, calls in unnamed.items() if (one := kata.key.kept_from_before(calls))}
    if len(kept) >= FEWEST_KEPT or on_liveness:
        mistakes |= kept
    by_values = dict.fromkeys(mistakes.values())
    mistakes |= {name: (one,) for name, one in kata.key.raised_mistakes(kata, _raises(engine, tiers)).items()}
    for run in engine.refusals:
        if cause := _cause(by_values, kata, run, engine.seed):
            mistakes[run.check.name] = cause  # the shapes that did not fit are a symptom of it
    of_liveness = mistakes.pop(liveness.failed[0].name, ()) if liveness.failed else ()
    program = apply(of_liveness, kata.key.oracle)
    if not all(breaks(kata, program, Run(*raised), engine.seed) for raised in liveness.raised):
        of_liveness = ()  # where the submission raised, this mistake would have answered
    if liveness.absent is not None:
        mistakes |= {check.name: of_liveness for check in engine.checks if check.tier.needs_liveness}
    named = tuple(_with_mistakes(tier, kata, mistakes) for tier in tiers)
    refusals = engine.refusals + [Run(*raised) for raised in liveness.raised]
    where = (wrong_helpers(kata, on_liveness + failures, engine.passes), parts and parts.sentence)
    when = (
        fails_when(kata, chain(*failed.values(), passed)),
        raises_when(kata, refusals, [*on_liveness, *failures, *engine.passes]),
    )
    premise = on_weights(engine.failures)
    wrong = {
        name: [each for each in calls if each.is_right is False or not is_finite(answers, each.call)]
        for name, calls in failed.items()
    }
    pictured = with_questions(with_pictures(named, kata, wrong), kata, mistakes)
    return Diagnosis(pictured, _sentence(premise, where), _sentence(premise, when))


def _cause(proven: Iterable[Named], kata: Kata, refusal: Run, seed: int) -> Named | None:
    """Return the first mistakes proven in other checks that raise in this check where the submission did."""

    def raises_alike(named: Named) -> bool:
        return replay_failure(kata, apply(named, kata.key.oracle), refusal, seed).raises_alike

    cause = next(filter(raises_alike, proven), None)
    # If the oracle raises too, the check asks for something that no program of the judge has.
    return cause if cause and not raises_alike(()) else None


def _raises(engine: Engine, tiers: Sequence[TierResult]) -> list[Raise]:
    """Return the exceptions that ended checks, each with the call that raised it if the trace has a record of that."""
    errors = {check.name: check for tier in tiers for check in tier.checks if check.verdict is Verdict.ERROR}
    return [
        Raise(name, end.got or "", end.where or "", next(reversed(run.trace.refused), None), end.what or "")
        for run in engine.refusals
        if (end := errors.get(name := run.check.name))
    ]


def _sentence(premise: str, parts: Iterable[str | None]) -> str | None:
    said = "; ".join(part for part in parts if part)
    return premise + said if said else None


def _with_mistakes(tier: TierResult, kata: Kata, mistakes: Mapping[str, tuple]) -> TierResult:
    def annotate(result: CheckResult) -> CheckResult:
        named = mistakes.get(result.name)
        return with_mistakes(result, kata, named) if named and result.verdict in EXPLAINED else result

    return TierResult(tier.name, tier.proves, tuple(map(annotate, tier.checks)), tier.question)
