"""What is told of the mistakes that were named: their sentences, why each is one, where to read on, what to ask."""

from collections.abc import Mapping
from dataclasses import replace

from grader.checks.kata import Kata
from grader.checks.tiers import TIERS
from grader.judge.diagnose import Named
from grader.records import CheckResult, Reason, TierResult, Verdict

UNANSWERED = {Verdict.PASS, Verdict.TODO, Verdict.SKIP}
"""What is not written yet raises no question."""


def with_mistakes(result: CheckResult, kata: Kata, named: Named) -> CheckResult:
    """The result of a check that these explain."""
    notebook = f"notebooks/{kata.name}.ipynb"
    reasons = tuple(Reason(mistake.why, f"{notebook}#{mistake.section.anchor}") for mistake in named)
    return replace(result, mistake="; and ".join(mistake.sentence for mistake in named), reasons=reasons)


def with_question(tier: TierResult, kata: Kata, found: Mapping[str, Named]) -> TierResult:
    """A tier that failed gets a question: about the first mistake named in it, else the tier's own."""
    if all(check.verdict in UNANSWERED for check in tier.checks):
        return tier
    named = next((found[check.name] for check in tier.checks if found.get(check.name)), None)
    own = next(each.question for each in TIERS if each.name == tier.name)
    question = named[0].section.question if named else kata.questions.get(tier.name, own)
    return replace(tier, question=question)
