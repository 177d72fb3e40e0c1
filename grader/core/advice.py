"""What to do next: the run that follows a report, and where to begin in an untouched stub."""

from collections.abc import Sequence

from grader.core.events import NextRun
from grader.core.request import Request
from grader.formats.text import not_written
from grader.records import Outcome, Report, RequiredName


def after_report(report: Report, request: Request, katas: Sequence[str]) -> NextRun | None:
    """Return the run to suggest after one report; None where there is none to suggest.

    After a failure it is the same run with the same inputs. After a full score in some tiers it is a run of all tiers;
    after a full score in the user's own exercise or notebook it is the next kata.

    Args:
        report: the report on the run that has ended.
        request: what that run was asked to do.
        katas: the names of all katas, in teaching order.
    """
    if not report.kata:  # NAME: one of the candidates that the message lists; a file that was not read has none
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
    """Return a run of the first exercise without a full score; None where all have one."""
    unfinished = next((report for report in reports if not full(report)), None)
    return NextRun(unfinished.kata) if unfinished else None


def first_names(needed: Sequence[RequiredName]) -> tuple[str, ...]:
    """Return the names to write first, three at most; a class is left out where its methods are among the names."""
    names = [each.name for each in needed if each.supplied is None]
    return tuple(name for name in names if not any(other.startswith(f"{name}.") for other in names))[:3]


def full(report: Report) -> bool:
    """Whether the submission got all points of this run."""
    return report.outcome is Outcome.GRADED and report.score == report.max_score
