"""What an interviewer may ask where a tier failed."""

from grader.formats.lines import Line, Span, wrapped
from grader.records import Report


def questions(report: Report, width: int) -> list[Line]:
    """The question of each tier that has one."""
    with_question = [tier for tier in report.tiers if tier.question]
    longest = max((len(tier.name) for tier in with_question), default=0)
    lines: list[Line] = []
    for tier in with_question:
        lines += wrapped(str(tier.question), width, [Span("  ASK   ", "cyan"), Span(f"{tier.name:<{longest}}   ")])
    return [*lines, []] if lines else []
