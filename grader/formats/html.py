"""A self-contained page: reports with pictures, the code beside the findings, no script.

Its content security policy lets a browser load and run nothing; the style alone is allowed, by its digest.
"""

import hashlib
from base64 import b64encode
from collections.abc import Sequence
from pathlib import Path

from grader.formats.clean import cleaned
from grader.formats.code import code
from grader.formats.fragment import STYLE as FRAGMENT_STYLE
from grader.formats.fragment import body, in_detail
from grader.formats.markup import Markup, joined, tag
from grader.formats.page import Page
from grader.formats.text import score_line
from grader.records import CheckResult, Report, TierResult, Verdict

STYLE = FRAGMENT_STYLE + Path(__file__).with_name("page.css").read_text(encoding="utf-8")
POLICY = (
    f"default-src 'none'; style-src 'sha256-{b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()}'; "
    "base-uri 'none'; form-action 'none'"
)


def dumps(reports: Sequence[Report], *, many: bool) -> bytes:
    """The page; with a list of the reports at the top where there are several, or `many` is true."""
    reports = [cleaned(report) for report in reports]
    whole = joined(
        _contents(reports) if many or len(reports) != 1 else None,
        *(_article(report, number) for number, report in enumerate(reports, start=1)),
    )
    name = f"{reports[0].kata or 'report'}: {reports[0].submission}" if len(reports) == 1 else "reports"
    return page(name, whole)


def page(name: str, whole: Markup) -> bytes:
    """A page with this title, with the style and the policy of all pages."""
    head = joined(
        Markup('<meta charset="utf-8">'),
        Markup(f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'),
        Markup('<meta name="viewport" content="width=device-width, initial-scale=1">'),
        Markup('<meta name="referrer" content="no-referrer">'),
        tag("title", name),
        tag("style", Markup(STYLE)),
    )
    document = tag("html", tag("head", head), tag("body", tag("main", whole, class_="kr kr-page")), lang="en")
    return f"<!doctype html>\n{document}\n".encode("utf-8", "replace")


def _contents(reports: Sequence[Report]) -> Markup:
    rows = [
        tag("li", tag("a", report.submission, href=f"#report-{number}"), " ", tag("span", score_line(report)))
        for number, report in enumerate(reports, start=1)
    ]
    return tag("nav", tag("h1", f"{len(reports)} reports"), tag("ol", *rows))


def _article(report: Report, number: int) -> Markup:
    prefix = f"report-{number}-"
    shown = code(report, prefix)
    findings = tag(
        "div",
        body(report, Page(seed=report.seed), lines=prefix if shown else None, in_notebook=False),
        _every_check(report),
        class_="kr-found",
    )
    beside = tag("section", tag("h2", "The code that was graded"), shown, class_="kr-beside") if shown else None
    return tag(
        "article",
        tag("h1", report.submission),
        tag("div", findings, beside, class_="kr-columns"),
        id=f"report-{number}",
    )


def _every_check(report: Report) -> Markup | None:
    """Each tier, folded, with its sentence and all its checks; failed checks are shown in detail."""
    if all(check.verdict is Verdict.SKIP for tier in report.tiers for check in tier.checks):
        return None
    return joined(tag("h2", "Every check"), *(_tier(report, tier) for tier in report.tiers))


def _tier(report: Report, tier: TierResult) -> Markup:
    won = sum(check.verdict is Verdict.PASS for check in tier.checks)
    head = joined(
        tag("b", tier.name),
        f" {tier.points} of {tier.max_points} points, {won} of {len(tier.checks)} checks passed: ",
        tag("span", tier.proves, class_="kr-dim"),
    )
    return tag("details", tag("summary", head), *(_check(report, tier, check) for check in tier.checks))


def _check(report: Report, tier: TierResult, check: CheckResult) -> Markup:
    points = f"{check.points} of {check.max_points} points"
    return joined(in_detail(report, tier, check), tag("p", points, class_="kr-dim kr-points-of-one"))
