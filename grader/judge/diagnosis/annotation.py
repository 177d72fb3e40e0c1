"""Adds the mistakes named to results: their sentences, why each is wrong, where to read on, and what to ask."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from grader.checks.kata import Kata
from grader.judge.diagnosis.proof import Named
from grader.oracle.sections import BY_TIER
from grader.records import CheckResult, Reason, TierResult, Verdict

UNANSWERED = {Verdict.PASS, Verdict.TODO, Verdict.SKIP}
"""Verdicts that raise no question: the check passed, its part is not written yet, or it was not run."""


def with_mistakes(result: CheckResult, kata: Kata, named: Named) -> CheckResult:
    """The result of a check, with the mistakes that explain it.

    Args:
        result: the result of the check.
        kata: whose notebook the reasons refer to.
        named: the mistakes that explain it.
    """
    notebook = f"notebooks/{kata.name}.ipynb"
    reasons = tuple(Reason(mistake.why, f"{notebook}#{kata.key.section(mistake).anchor}") for mistake in named)
    return replace(result, mistakes=tuple(mistake.sentence for mistake in named), reasons=reasons)


def with_questions(tiers: Sequence[TierResult], kata: Kata, mistakes: Mapping[str, Named]) -> tuple[TierResult, ...]:
    """Return the tiers with a question for each that failed: about a mistake named in it, else the tier's own.

    No question about a mistake is asked twice.

    Args:
        tiers: the tiers with their results.
        kata: the kata whose questions are asked.
        mistakes: the named mistakes, by the check's name.
    """
    used: set[str] = set()
    annotated = []
    for tier in tiers:
        if not all(check.verdict in UNANSWERED for check in tier.checks):
            named = [mistake for check in tier.checks for mistake in mistakes.get(check.name, ())]
            own = {**BY_TIER, **kata.key.questions}.get(tier.name)
            question = next(
                (each for each in (kata.key.section(one).question for one in named) if each not in used), own
            )
            used.add(question or "")
            tier = replace(tier, question=question)
        annotated.append(tier)
    return tuple(annotated)
