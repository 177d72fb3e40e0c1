"""The report that a person reads: what holds, the first thing that does not, the score, what to run next."""

from collections import Counter
from collections.abc import Sequence
from typing import Literal, TypeAlias

from grader.formats.clean import cleaned
from grader.formats.follow_up import questions
from grader.formats.lines import PLAIN_WIDTH, Line, Span, plain, wrapped
from grader.formats.wording import explained, wording
from grader.records import CheckResult, Outcome, Report, TierResult, Verdict, without_calls

Reveal: TypeAlias = Literal["first", "all"]

STYLES = {Verdict.PASS: "green", Verdict.TODO: "yellow", Verdict.SKIP: "dim"}
FAILED_STYLE = "bold red"
MOST_OTHERS = 5
"""The most other failed checks of the first failing tier that get a line each below the one in detail."""
MOST_LINES = 12
"""The most lines for the first failing check, a second mistake, where and when: the rest is left to other formats."""
NOT_YOU = "The grader failed, not your submission."
NOT_WRITTEN = "not written yet"
NOT_GRADED = "not graded"
NOT_ISOLATED = "not isolated: run only code that you trust"


def render(
    report: Report,
    *,
    reveal: Reveal = "first",
    width: int = PLAIN_WIDTH,
    command: str | None = None,
    begin: Sequence[str] = (),
    explain: bool = False,
) -> list[Line]:
    """Draw one report.

    Args:
        report: as the judge gave it; its texts are cleaned here.
        reveal: `first` shows the first failing check in detail, and if it has no named mistake, also the first check
            that has one; the next failing checks of its tier get a line each. `all` shows every check.
        width: columns.
        command: what to run next, if anything.
        begin: the names to write first, shown for a stub in which nothing is written.
        explain: say why a named mistake is one, and where to read on.

    Returns:
        Lines of styled spans, for `lines.show` or `lines.plain`.
    """
    report = cleaned(report)
    lines = [*_header(report, width), []]
    lines += message_lines(report, width)
    if not_written(report):
        lines += begin_lines(report, width, begin)
    elif any(check.verdict is not Verdict.SKIP for tier in report.tiers for check in tier.checks):
        lines += _tiers(report, width)
        lines += detail_lines(report, reveal, width, explain=explain)
        lines += questions(report, width)
    # In an untouched stub, cells that use what is not written yet raise too: the candidate need not read that.
    notes = report.remarks if not_written(report) else (*report.remarks, *report.notes)
    if report.worth_reading:
        notes = (*notes, report.worth_reading)
    for note in notes:
        lines += wrapped(note, width, [Span("  note  ", "yellow")])
    if notes:
        lines.append([])
    lines += _protections(report, width)
    lines.append([Span(score_line(report), "bold")])
    if command:
        lines.append([Span("run next: ", "bold"), Span(command, "cyan")])
    return lines


def dumps(reports: Sequence[Report], *, many: bool) -> bytes:
    """Each report with every check in detail, and what was printed."""
    pages = [
        [*render(report, reveal="all"), *printed(report, PLAIN_WIDTH), *([[]] if many else [])] for report in reports
    ]
    return "".join(map(plain, pages)).encode("utf-8", "replace")


def printed(report: Report, width: int) -> list[Line]:
    """What the submission printed, behind a mark, so that no line, however long, is taken for the report's own."""
    if not report.output:
        return []
    lines: list[Line] = [[], [Span("printed by the submission, the end of it:")]]
    for line in cleaned(report).output.rstrip().split("\n"):
        lines += wrapped(line, width, [Span("  | ")])
    return lines


def not_written(report: Report) -> bool:
    """Whether this is an untouched stub: all its checks met nothing but `NotImplementedError`."""
    verdicts = {check.verdict for tier in report.tiers for check in tier.checks}
    return verdicts == {Verdict.TODO}


def ungraded(report: Report) -> bool:
    """Whether there is no score to speak of, though gradebooks are given a 0."""
    return report.outcome is not Outcome.GRADED


def score_line(report: Report) -> str:
    """The score in a line, such as `score 45 of 100, 3 of 7 tiers passed`."""
    if ungraded(report):
        return NOT_GRADED
    passed = sum(tier.passed for tier in report.tiers)
    return f"score {report.score} of {report.max_score}, {passed} of {len(report.tiers)} tiers passed"


def first_failing(report: Report) -> tuple[TierResult, CheckResult] | None:
    """The check to look at first, a skipped one only where nothing else failed in its tier."""
    tier = next((tier for tier in report.tiers if not tier.passed), None)
    if tier is None:
        return None
    failing = [check for check in tier.checks if check.verdict is not Verdict.PASS]
    return tier, next((check for check in failing if check.verdict is not Verdict.SKIP), failing[0])


def first_named(report: Report) -> tuple[TierResult, CheckResult] | None:
    """The first check with a proven mistake: one that raised has no values to prove it by, another may have."""
    return next(((tier, check) for tier in report.tiers for check in tier.checks if check.mistake), None)


def _header(report: Report, width: int) -> list[Line]:
    device = "" if report.device == "cpu" else f"   {report.device}"
    first = [Span(report.kata or "kata unknown", "bold"), Span("   ")]
    return wrapped(f"{report.submission}   seed {report.seed}{device}", width, first)


def message_lines(report: Report, width: int) -> list[Line]:
    """The lines that say why the submission could not be graded; none where it was graded."""
    if report.outcome is Outcome.GRADED:
        return []
    if report.outcome is Outcome.BROKEN:
        lines: list[Line] = [[Span("  " + NOT_YOU, FAILED_STYLE)]]
        return [*lines, *wrapped(report.reason, width, [Span("  ")]), []]
    mark = Span(f"  {report.outcome.upper()}  ", FAILED_STYLE)
    lines = []
    for line in report.reason.split("\n"):
        lines += wrapped(line, width, [mark])  # behind the mark: it may hold a submission's words
        mark = Span(" " * len(mark.text))
    return [*lines, []]


def begin_lines(report: Report, width: int, begin: Sequence[str]) -> list[Line]:
    """Where to begin in an untouched stub.

    Args:
        report: the report on the stub.
        width: columns.
        begin: the names to write first.
    """
    names = f" with {', '.join(begin)}" if begin else ""
    return [*wrapped(f"{NOT_WRITTEN}: begin in {report.submission}{names}", width, [Span("  ")]), []]


def verdict_of(tier: TierResult) -> Verdict:
    """One verdict for a tier: that of all its failing checks where they have the same, else fail."""
    verdicts = {check.verdict for check in tier.checks} - {Verdict.PASS}
    if not verdicts:
        return Verdict.PASS
    return verdicts.pop() if len(verdicts) == 1 else Verdict.FAIL


def _mark_span(verdict: Verdict, width: int) -> Span:
    return Span(f"  {verdict.upper():<{width}}  ", STYLES.get(verdict, FAILED_STYLE))


def _mark_width(report: Report) -> int:
    return max(4, *(len(check.verdict) for tier in report.tiers for check in tier.checks))


def _tiers(report: Report, width: int) -> list[Line]:
    names = max(len(tier.name) for tier in report.tiers)
    digits = max(len(str(tier.max_points)) for tier in report.tiers)
    lines: list[Line] = []
    for tier in report.tiers:
        points = f"{tier.points:>{digits}} of {tier.max_points:>{digits}}"
        mark = verdict_of(tier)
        first = [_mark_span(mark, _mark_width(report)), Span(f"{tier.name:<{names}}  {points}  ")]
        lines += wrapped(state_proof(mark, tier.proves), width, first, "dim")
    return [*lines, []]


def state_proof(mark: Verdict, proves: str) -> str:
    """What a tier proves, where a check of it did not pass with "not proven" before it: part of it may still hold."""
    return proves if mark in STYLES else f"not proven: {proves}"


def detail_lines(report: Report, reveal: Reveal, width: int, *, explain: bool) -> list[Line]:
    """The checks that are shown in detail.

    Args:
        report: with its texts cleaned.
        reveal: as of `render`.
        width: columns.
        explain: as of `render`.
    """
    lines: list[Line] = []
    if reveal == "all":
        for tier in report.tiers:
            for check in tier.checks:
                failed = check.verdict is not Verdict.PASS
                lines += _check(report, tier, check, width, in_detail=failed, explain=explain)
            lines.append([])
        of_all = [line for said in _where_and_when(report, width) for line in said]
        return [*lines, *of_all, []] if of_all else lines
    failing = first_failing(report)
    if failing is None:
        return []
    tier, first = failing
    others = [check for check in tier.checks if check.verdict is not Verdict.PASS and check is not first]
    chosen, in_detail = [(tier, check) for check in (first, *others[:MOST_OTHERS])], [first]
    left = len(others) - MOST_OTHERS
    named = None if first.mistake else first_named(report)
    if named is not None:
        in_detail.append(named[1])
        if named not in chosen:
            chosen.append(named)
    for its_tier, check in chosen:
        block = _check(report, its_tier, check, width, in_detail=check in in_detail, explain=explain)
        if check is first:
            block = _with_what_is_said_of_all(report, first, block, width, explain=explain)
        lines += block
        if left > 0 and check is others[MOST_OTHERS - 1]:
            lines.append([Span(f"{'':{_mark_width(report) + 4}}and {left} more of this tier", "dim")])
    return [*lines, []]


def _check(
    report: Report, tier: TierResult, check: CheckResult, width: int, *, in_detail: bool, explain: bool = False
) -> list[Line]:
    mark = _mark_span(check.verdict, _mark_width(report))
    left = [mark, Span(f"{tier.name}   ")]
    indent = sum(len(span.text) for span in left)
    lines = wrapped(check.claim, width, left, "bold" if in_detail else "")
    if not in_detail:
        return lines
    if check.verdict is Verdict.BROKEN:
        lines.append([Span(" " * indent), Span(NOT_YOU, FAILED_STYLE)])
    for label, text, style in wording(check) + (explained(check) if explain else []):
        lines += wrapped(text, width, [Span(" " * indent + label)], style)
    return lines


def _also(report: Report, first: CheckResult, width: int) -> list[Line]:
    """The other mistake by which most points are lost: one that costs a single check may come before it."""
    lost: Counter[str] = Counter()
    checks: Counter[str] = Counter()
    if not first.mistakes:
        return []
    said = {without_calls(mistake) for mistake in first.mistakes}
    for check in (check for tier in report.tiers for check in tier.checks):
        others = [mistake for mistake in check.mistakes if without_calls(mistake) not in said]
        lost.update(dict.fromkeys(others, check.max_points - check.points))
        checks.update(others)
    if not lost:
        return []
    (mistake, _), *_ = lost.most_common(1)
    where = "another check" if checks[mistake] == 1 else f"{checks[mistake]} other checks"
    return wrapped(f"{mistake}, in {where}", width, [Span("  also   ", "yellow")])


def _with_what_is_said_of_all(
    report: Report, first: CheckResult, block: list[Line], width: int, *, explain: bool
) -> list[Line]:
    """The block of the first failing check, with as much as fits of a second mistake, where and when."""
    for said in filter(None, (_also(report, first, width), *_where_and_when(report, width))):
        block += said if explain or len(block) + len(said) <= MOST_LINES else []
    return block


def _where_and_when(report: Report, width: int) -> list[list[Line]]:
    """The lines for where and for when, about all checks: shown below the first failing check, or below all."""
    said = (("  where  ", report.parts_at), ("  when   ", report.fails_when))
    return [wrapped(text, width, [Span(label, "yellow")]) for label, text in said if text]


def _protections(report: Report, width: int) -> list[Line]:
    on = [name for name, active in report.protections.items() if active]
    off = [name for name, active in report.protections.items() if not active]
    if not report.protections:
        return []
    sentence = f"protections on: {', '.join(on) or 'none'}" + (f"; off: {', '.join(off)}" if off else "")
    lines = wrapped(sentence, width, [], "dim")
    return lines if report.isolated else [*lines, [Span(NOT_ISOLATED, FAILED_STYLE)]]
