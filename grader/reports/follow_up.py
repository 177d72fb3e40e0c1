"""What follows a wrong answer: why a named mistake is one and where to read on, and what an interviewer may ask."""

from dataclasses import replace

from grader.records import INTERVIEWER, CheckResult, Report
from grader.reports.lines import Line, Span, wrapped


def explained(check: CheckResult) -> list[str]:
    """A line that says why for each mistake named, and one for each place to read on."""
    sections = dict.fromkeys(reason.section for reason in check.reasons)
    return [*(f"why: {reason.why}" for reason in check.reasons), *(f"read: {section}" for section in sections)]


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
