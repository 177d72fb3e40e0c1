"""A report as a candidate may read it: of a check that is not public its claim, verdict, points and proven mistake."""

from dataclasses import replace

from grader.records import CheckResult, Outcome, Report, TierResult, Visibility

NOT_SHOWN = "The reason is in the interviewer's report."


def for_candidate(report: Report, *, reveal: bool) -> Report:
    """The report without what shows the inputs of hidden checks.

    Args:
        report: as the judge gave it.
        reveal: checks that are public on reveal are shown in full.

    Returns:
        The same scores. Of other checks what, expected, got and where are gone: they hold sizes and values. So are the
        traceback of a check that broke, and, where any check is not public, what the submission printed.
    """
    open_ = {Visibility.PUBLIC, Visibility.ON_REVEAL} if reveal else {Visibility.PUBLIC}
    checks = [check for tier in report.tiers for check in tier.checks]
    return replace(
        report,
        tiers=tuple(_tier(tier, open_) for tier in report.tiers),
        message=NOT_SHOWN if report.outcome is Outcome.BROKEN else report.message,
        output=report.output if all(check.visibility in open_ for check in checks) else "",
    )


def _tier(tier: TierResult, open_: set[Visibility]) -> TierResult:
    return replace(tier, checks=tuple(check if check.visibility in open_ else _closed(check) for check in tier.checks))


def _closed(check: CheckResult) -> CheckResult:
    return replace(check, what=None, expected=None, got=None, where=None)
