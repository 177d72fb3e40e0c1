"""What an interviewer may ask where a tier failed."""

from dataclasses import replace

from grader.records import INTERVIEWER, Report
from grader.reports.lines import Line, Span, wrapped


def questions(report: Report, width: int) -> list[Line]:
    """The question of each tier that has one."""
    asked = [tier for tier in report.tiers if tier.question]
    longest = max((len(tier.name) for tier in asked), default=0)
    lines: list[Line] = []
    for tier in asked:
        lines += wrapped(str(tier.question), width, [Span("  ASK   ", "cyan"), Span(f"{tier.name:<{longest}}   ")])
    return [*lines, []] if lines else []


def asked_by(audience: str, report: Report) -> Report:
    """The report with questions and remarks on the source for an interviewer, and without them for everybody else."""
    if audience == INTERVIEWER:
        return report
    return replace(report, worth_reading=None, tiers=tuple(replace(tier, question=None) for tier in report.tiers))
