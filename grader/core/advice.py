"""What to do next: the run that follows a report, and where to begin in an untouched stub."""

from collections.abc import Sequence

from grader.core.events import NextRun
from grader.core.request import Request
from grader.formats.text import not_written
from grader.records import Outcome, Report, RequiredName


def after_report(report: Report, request: Request, katas: Sequence[str]) -> NextRun | None:
    """The run after one report: a failed one again with the same inputs; after a full score the next kata of one's own.

    Args:
        report: what was found.
        request: what was asked for.
        katas: all names in teaching order.
    """
    if not report.kata:  # one of the candidates that its message lists; of a file that was not read there are none
        return NextRun("NAME", str(request.path)) if report.source else None
    same = NextRun(
        request.kata, None if request.path is None else str(request.path), allow=tuple(sorted(request.allow))
    )
    if full(report) and request.tiers:
        return same
    if full(report):
        after = katas[katas.index(report.kata) + 1 :] if request.path is None or request.cells else []
        return NextRun(after[0]) if after else None
    compared = report.outcome is Outcome.GRADED and not not_written(report)
    return NextRun(same.kata, same.submission, request.tiers, same.allow, report.seed if compared else None)


def after_exercises(reports: Sequence[Report]) -> NextRun | None:
    """The first exercise that has not its full score."""
    unfinished = next((report for report in reports if not full(report)), None)
    return NextRun(unfinished.kata) if unfinished else None


def first_names(needed: Sequence[RequiredName]) -> tuple[str, ...]:
    """The first names to write; a class is written by writing its methods."""
    names = [each.name for each in needed if each.supplied is None]
    return tuple(name for name in names if not any(other.startswith(f"{name}.") for other in names))[:3]


def full(report: Report) -> bool:
    """All the points that there were in this run."""
    return report.outcome is Outcome.GRADED and report.score == report.max_score
