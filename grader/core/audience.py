"""Decides which parts of a report its reader may see."""

from dataclasses import replace

from grader.records import CANDIDATE, INTERVIEWER, CheckResult, Outcome, Report, TierResult, Visibility

NOT_SHOWN = "The reason is in the interviewer's report."
PRINTED_WITHHELD = "(in the interviewer's report: it may hold what a check that is not public gave)"


def for_audience(report: Report, audience: str, *, reveal: bool, show_output: bool = False) -> Report:
    """Return the report with only what one of `AUDIENCES` may read; the scores stay the same.

    Only an interviewer sees questions, remarks on the source, the printed output and the inputs of a wrong answer. Of a
    check that is not public, a candidate sees only the claim, verdict, points and a proven mistake: its `what`,
    `expected`, `got`, `where`, `called`, `evidence` and `picture` hold sizes and values of its inputs. So do the
    report's `parts_at` and `fails_when`: a candidate is not shown these, nor the output, where any check is not public.
    Nor does a candidate see the traceback of a check that broke.

    Args:
        report: the report as the judge gave it.
        audience: who reads it.
        reveal: whether a candidate sees the checks that are public on reveal in full.
        show_output: whether others than an interviewer see the printed output; a candidate only where every check is
            shown in full.
    """
    if audience == INTERVIEWER:
        return report
    plain = replace(
        report,
        worth_reading=None,
        output=report.output if show_output else "",
        tiers=tuple(_tier(tier, audience, reveal) for tier in report.tiers),
    )
    return _for_candidate(plain, reveal) if audience == CANDIDATE else plain


def _tier(tier: TierResult, audience: str, reveal: bool) -> TierResult:
    checks = tuple(check_for_audience(check, audience, reveal=reveal) for check in tier.checks)
    return replace(tier, question=None, checks=checks)


def check_for_audience(check: CheckResult, audience: str, *, reveal: bool) -> CheckResult:
    """Return one check's result with only what one of `AUDIENCES` may read; arguments as of `for_audience`."""
    if audience == INTERVIEWER:
        return check
    check = replace(check, inputs=None)
    return check if audience != CANDIDATE or check.visibility in _open(reveal) else _closed(check)


def _open(reveal: bool) -> set[Visibility]:
    return {Visibility.PUBLIC, Visibility.ON_REVEAL} if reveal else {Visibility.PUBLIC}


def _for_candidate(report: Report, reveal: bool) -> Report:
    all_open = all(check.visibility in _open(reveal) for tier in report.tiers for check in tier.checks)
    return replace(
        report,
        parts_at=report.parts_at if all_open else None,
        fails_when=report.fails_when if all_open else None,
        message=NOT_SHOWN if report.outcome is Outcome.BROKEN else report.message,
        output=PRINTED_WITHHELD if report.output and not all_open else report.output,
    )


def _closed(check: CheckResult) -> CheckResult:
    return replace(check, what=None, expected=None, got=None, where=None, called=None, evidence=None, picture=None)
