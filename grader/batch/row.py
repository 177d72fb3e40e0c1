"""The row of a table that is kept of each report of a stack, so that thousands of them fit into memory."""

from __future__ import annotations

from dataclasses import dataclass

from grader.formats.clean import cleaned
from grader.formats.text import NOT_WRITTEN, first_failing, not_written, ungraded
from grader.records import Outcome, Report, TierResult, Verdict
from grader.submission.likeness import Sketch

Key = tuple[str, str, int, str]
"""Path, content, seed, and the digest of checks and settings: what has the same key has the same report."""
MOST_OF_A_SENTENCE = 300


@dataclass(frozen=True, slots=True)
class TierRow:
    """The points of a submission in one tier."""

    name: str
    points: int
    max_points: int
    passed: bool


@dataclass(frozen=True, slots=True)
class Row:
    """The row of one submission."""

    submission: str
    """Its path below the folder that all submissions of the stack have in common."""
    kata: str
    sha256: str
    seed: int
    digest: str
    outcome: Outcome
    duration_s: float
    score: int
    max_score: int
    tiers: tuple[TierRow, ...]
    reason: str
    """The first mistake or failed claim, or why nothing could be graded; empty: there is nothing to say."""
    mistakes: tuple[str, ...]
    """All mistakes that are named."""
    sketch: Sketch | None
    """None: the submission was not read, or has no cells."""

    @property
    def key(self) -> Key:
        return self.submission, self.sha256, self.seed, self.digest

    @property
    def is_graded(self) -> bool:
        return self.outcome is Outcome.GRADED


def row_of(report: Report, sketch: Sketch | None) -> Row:
    """Return the row of a report.

    Args:
        report: a report whose path is relative to the folder that all submissions of the stack have in common.
        sketch: the sketch of its source.
    """
    report = cleaned(report)
    checks = [check for tier in report.tiers for check in tier.checks]
    return Row(
        submission=report.submission,
        kata=report.kata,
        sha256=report.sha256,
        seed=report.seed,
        digest=report.digest,
        outcome=report.outcome,
        duration_s=report.duration_s,
        score=report.score,
        max_score=report.max_score,
        tiers=tuple(map(_tier_row, report.tiers)),
        reason=_reason(report)[:MOST_OF_A_SENTENCE],
        mistakes=tuple(dict.fromkeys(mistake for check in checks for mistake in check.mistakes)),
        sketch=sketch,
    )


def _tier_row(tier: TierResult) -> TierRow:
    return TierRow(tier.name, tier.points, tier.max_points, tier.passed)


def _reason(report: Report) -> str:
    if ungraded(report):
        return report.reason.split("\n")[0]
    if not_written(report):
        return NOT_WRITTEN
    failing = first_failing(report)
    if failing is None:
        return ""
    check = failing[1]
    is_wrong = check.verdict is Verdict.FAIL
    return check.mistake or (f"does not hold: {check.claim}" if is_wrong else check.got) or check.claim
