"""All that a person reads of one run: each report, or the exercises in a line each, and what to run next."""

from collections.abc import Sequence
from dataclasses import dataclass

from grader.formats.lines import PLAIN_WIDTH, Line
from grader.formats.summary import render_overview
from grader.formats.text import Reveal, printed, render
from grader.records import Report


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """How a run is shown."""

    seed: int
    """The run's seed; in a stack each report has a seed that is derived from it."""
    many: bool = False
    """Whether the reports are a stack's, or of several files."""
    by_kata: bool = False
    """Whether the reports are on the exercises of several katas: then each is shown in one line only."""
    unread: Sequence[str] = ()
    """Names of files and folders in a stack from which no submission came."""
    left: Sequence[str] = ()
    """Names of the submissions that were not graded because the run was interrupted."""
    command: str | None = None
    """What to run next, if anything."""
    begin: Sequence[str] = ()
    """The names to write first, shown for a stub in which nothing is written."""
    reveal: Reveal = "first"
    explain: bool = False
    width: int = PLAIN_WIDTH


def render_page(reports: Sequence[Report], page: Page) -> list[Line]:
    """Draw the reports of one run."""
    lines: list[Line] = []
    for report in [] if page.by_kata else reports:
        command = None if page.many else page.command
        how = {"reveal": page.reveal, "explain": page.explain, "width": page.width}
        lines += [*render(report, **how, command=command, begin=page.begin), *printed(report, page.width)]
        lines += [[]] if page.many else []
    if page.by_kata or page.many:
        lines += render_overview(
            reports,
            seed=page.seed,
            width=page.width,
            by_kata=page.by_kata,
            unread=page.unread,
            left=page.left,
            command=page.command,
        )
    return lines
