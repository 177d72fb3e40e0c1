"""Several reports on one page: a line each, a total, what to do next."""

from collections.abc import Sequence

from grader.formats.clean import cleaned, shortened, spelled_out
from grader.formats.lines import NARROWEST, PLAIN_WIDTH, Line, Span, columns, wrapped
from grader.formats.text import NOT_GRADED, NOT_WRITTEN, NOT_YOU, first_failing, not_written, ungraded
from grader.records import Outcome, Report, Verdict

MOST_OF_A_REASON = 500
"""The most characters of a reason: no sentence of the grader is as long, but it may quote a line or a name that is."""


def render_overview(
    reports: Sequence[Report],
    *,
    seed: int,
    width: int = PLAIN_WIDTH,
    by_kata: bool = False,
    unread: Sequence[str] = (),
    left: Sequence[str] = (),
    command: str | None = None,
) -> list[Line]:
    """Draw one line per report: points, the kata or the submission, what became of it.

    Args:
        reports: in the order in which they are shown.
        seed: the run's seed; in a stack each report has a seed that is derived from it.
        width: columns.
        by_kata: whether to name the katas and not the files, as for the exercises.
        unread: names of files and folders in a stack from which no submission came.
        left: names of the submissions that were not graded because the run was interrupted.
        command: what to run next, if anything.
    """
    reports = [cleaned(report) for report in reports]
    lines = _rows(reports, width, by_kata=by_kata)
    total, most = sum(report.score for report in reports), sum(report.max_score for report in reports)
    missing = sum(map(ungraded, reports))
    missed = f", {missing} {NOT_GRADED}" if missing else ""
    lines += [[], [Span(f"total {total} of {most}{missed}, seed {seed}", "bold")]]
    if unread:
        sentence = f"{', '.join(map(spelled_out, unread))}; a submission is a .py or an .ipynb file in it"
        lines += wrapped(sentence, width, [Span("not read: ", "bold")])
    if left:
        sentence = f"{len(left)} of {len(reports) + len(left)} were not graded, from {spelled_out(left[0])} on"
        lines += wrapped(sentence, width, [Span("interrupted: ", "bold red")])
    if command:
        lines.append([Span("run next: ", "bold"), Span(command, "cyan")])
    return lines


def _rows(reports: Sequence[Report], width: int, *, by_kata: bool) -> list[Line]:
    """The lines of each report: its points, its name, and what became of it."""
    digits = max(len(str(report.max_score)) for report in reports)
    column = max(len(NOT_GRADED), 2 * digits + len(" of "))
    room = width - NARROWEST - column - 6
    names = [report.kata if by_kata else report.submission for report in reports]
    # Each submission may choose its kata, and points are easier to get in some katas than in others.
    differ = not by_kata and len({report.kata for report in reports if not ungraded(report)}) > 1
    longest = max((columns(name) for name in names if columns(name) <= room), default=0)
    lines: list[Line] = []
    for name, report in zip(names, reports, strict=True):
        points = NOT_GRADED if ungraded(report) else f"{report.score:>{digits}} of {report.max_score:>{digits}}"
        first = [Span(f"  {points:<{column}}  ", _style(report))]
        if columns(name) > room:  # on lines of its own
            lines += wrapped(name, width, first, "bold")
            first = [Span(" " * (column + 4))]
        else:
            first.append(Span(name + " " * (longest - columns(name) + 2), "bold"))
        kata = f"{report.kata}: " if differ and not ungraded(report) else ""
        lines += wrapped(kata + _became(report), width, first)
    return lines


def _became(report: Report) -> str:
    if report.outcome is Outcome.BROKEN:
        return NOT_YOU
    if report.outcome is not Outcome.GRADED:
        return f"{report.outcome}: {shortened(report.reason.splitlines()[0], MOST_OF_A_REASON)}"
    if not_written(report):
        return NOT_WRITTEN
    failing = first_failing(report)
    if failing is None:
        return "every tier passed"
    tier, check = failing
    word = "not written" if check.verdict is Verdict.TODO else str(check.verdict)
    passed = [each.name for each in report.tiers if each.passed]
    return f"passed: {', '.join(passed) or 'no tier'}; {tier.name}: {word}, {check.claim}"


def _style(report: Report) -> str:
    if report.outcome is not Outcome.GRADED:
        return "bold red"
    return "green" if report.score == report.max_score else "yellow"
