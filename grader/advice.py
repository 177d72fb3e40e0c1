"""What to do next: the command that follows a report, and where to begin in an untouched stub."""

from collections.abc import Sequence
from typing import NamedTuple

from grader.records import Needed, Outcome, Report
from grader.reports.command import grade_command
from grader.reports.text import not_written


class Run(NamedTuple):
    """What was asked for, as it was typed; None or empty: left out."""

    kata: str | None
    submission: str | None
    tiers: tuple[str, ...] = ()
    allow: tuple[str, ...] = ()


def after_report(report: Report, run: Run, katas: Sequence[str]) -> str | None:
    """The command to run after one report.

    A failed run is repeated on the same inputs; a full score leads to the next exercise.

    Args:
        report: what was found.
        run: what was asked for.
        katas: all names in teaching order.
    """
    if not report.kata:
        return None  # its message already says how to name the kata
    allow = ",".join(run.allow)
    if full(report) and run.tiers:
        return grade_command(kata=run.kata, submission=run.submission, allow=allow)
    if full(report):
        after = katas[katas.index(report.kata) + 1 :] if run.submission is None else []
        return grade_command(kata=after[0]) if after else None
    compared = report.outcome is Outcome.GRADED and not not_written(report)
    return grade_command(
        kata=run.kata,
        submission=run.submission,
        tier=",".join(run.tiers),
        allow=allow,
        seed=str(report.seed) if compared else None,
    )


def after_exercises(reports: Sequence[Report]) -> str | None:
    """The first exercise that has not its full score."""
    unfinished = next((report for report in reports if not full(report)), None)
    return grade_command(kata=unfinished.kata) if unfinished else None


def first_names(asked: Sequence[Needed]) -> list[str]:
    """The first names to write; a class is written by writing its methods."""
    names = [needed.name for needed in asked if needed.supplied is None]
    return [name for name in names if not any(other.startswith(f"{name}.") for other in names)][:3]


def full(report: Report) -> bool:
    """All the points that there were in this run."""
    return report.outcome is Outcome.GRADED and report.score == report.max_score
