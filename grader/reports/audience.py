"""What of a report its reader may see."""

from dataclasses import replace

from grader.records import CANDIDATE, INTERVIEWER, CheckResult, Outcome, Report, TierResult, Visibility

NOT_SHOWN = "The reason is in the interviewer's report."
PRINTED_WITHHELD = "(in the interviewer's report: it may hold what a check that is not public gave)"


def for_audience(report: Report, audience: str, *, reveal: bool, show_output: bool = False) -> Report:
    """The report as one of `AUDIENCES` may read it, with the same scores.

    Questions, remarks on the source, what was printed and the inputs of a wrong answer are for an interviewer. A
    candidate is shown of a check that is not public its claim, verdict, points and a proven mistake: what, expected,
    got and where hold sizes and values of its inputs. Gone too are the traceback of a check that broke and, where any
    check is not public, the output.

    Args:
        report: as the judge gave it.
        audience: who reads it.
        reveal: a candidate is shown checks that are public on reveal in full.
        show_output: what was printed is shown to others too; to a candidate only where all checks are.
    """
    if audience == INTERVIEWER:
        return report
    plain = replace(
        report,
        worth_reading=None,
        output=report.output if show_output else "",
        tiers=tuple(_plain(tier) for tier in report.tiers),
    )
    return _for_candidate(plain, reveal) if audience == CANDIDATE else plain


def _plain(tier: TierResult) -> TierResult:
    return replace(tier, question=None, checks=tuple(replace(check, inputs=None) for check in tier.checks))


def _for_candidate(report: Report, reveal: bool) -> Report:
    open_ = {Visibility.PUBLIC, Visibility.ON_REVEAL} if reveal else {Visibility.PUBLIC}
    all_open = all(check.visibility in open_ for tier in report.tiers for check in tier.checks)
    return replace(
        report,
        tiers=tuple(_tier(tier, open_) for tier in report.tiers),
        message=NOT_SHOWN if report.outcome is Outcome.BROKEN else report.message,
        output=PRINTED_WITHHELD if report.output and not all_open else report.output,
    )


def _tier(tier: TierResult, open_: set[Visibility]) -> TierResult:
    return replace(tier, checks=tuple(check if check.visibility in open_ else _closed(check) for check in tier.checks))


def _closed(check: CheckResult) -> CheckResult:
    return replace(check, what=None, expected=None, got=None, where=None)
