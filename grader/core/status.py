"""How a run ended."""

from collections.abc import Sequence
from enum import IntEnum

from grader.records import Outcome, Report, Verdict


class Status(IntEnum):
    """The exit status of a run."""

    REACHED = 0
    """Every submission has the score that was to be reached."""
    BELOW = 1
    WRONG_USE = 2
    """Nothing could be graded, by a fault of the caller or of the submission."""
    BROKEN = 3
    """The grader itself failed."""
    INTERRUPTED = 130


def status(reports: Sequence[Report], fail_under: int | None) -> Status:
    """The status of a run that came to its end.

    Args:
        reports: all reports of the run.
        fail_under: the points to reach; None: all points of the run.
    """
    verdicts = {check.verdict for report in reports for tier in report.tiers for check in tier.checks}
    outcomes = {report.outcome for report in reports}
    if Outcome.BROKEN in outcomes or Verdict.BROKEN in verdicts:
        return Status.BROKEN
    if outcomes == {Outcome.UNLOADABLE}:
        return Status.WRONG_USE
    wanted = [report.max_score if fail_under is None else fail_under for report in reports]
    reached = all(report.score >= points for report, points in zip(reports, wanted, strict=True))
    return Status.REACHED if reached and outcomes == {Outcome.GRADED} else Status.BELOW
