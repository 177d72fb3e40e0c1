"""JUnit XML, as continuous integration reads it: classname = tier, name = check, the body = the wording."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from grader.formats.clean import cleaned
from grader.formats.text import NOT_YOU
from grader.formats.wording import Wording, wording
from grader.records import CheckResult, Outcome, Report, TierResult, Verdict

# ElementTree's own declaration would have single quotes, and the text may hold characters that no encoder takes.
DECLARATION = '<?xml version="1.0" encoding="utf-8"?>\n'
ELEMENTS = {
    Verdict.FAIL: "failure",
    Verdict.TODO: "failure",
    Verdict.POLICY: "failure",
    Verdict.SKIP: "skipped",
}
"""Every other verdict that is not a pass is an `error`: timeout, crash, memory, error, broken."""


def dumps(reports: Sequence[Report], *, many: bool) -> bytes:
    """The document: a suite for each tier, or for each submission where they are `many`."""
    suites = [suite for report in map(cleaned, reports) for suite in ([_whole(report)] if many else _suites(report))]
    root = Element("testsuites", _counts([case for suite in suites for case in suite.iter("testcase")]), name="katas")
    root.set("time", f"{sum(report.duration_s for report in reports):.3f}")
    root.extend(suites)
    return (DECLARATION + _text(root)).encode()


def parts(reports: Iterable[Report]) -> Iterator[bytes]:
    """The document of a stack, suite by suite, so that it need not fit into memory."""
    yield f'{DECLARATION}<testsuites name="katas">\n'.encode()
    for report in reports:
        yield _text(_whole(cleaned(report))).encode()
    yield b"</testsuites>\n"


def _text(element: Element) -> str:
    ElementTree.indent(element)
    return ElementTree.tostring(element, encoding="unicode") + "\n"


def _whole(report: Report) -> Element:
    """One suite for the whole submission, named after it."""
    cases = [
        _case(report, check, f"{report.submission}: {tier.name}") for tier in report.tiers for check in tier.checks
    ]
    if report.outcome is not Outcome.GRADED:
        cases.insert(0, _load_case(report, f"{report.submission}: load"))
    suite = Element("testsuite", _counts(cases), name=report.submission, time=f"{report.duration_s:.3f}")
    suite.append(_properties(report, points=report.score, max_points=report.max_score))
    suite.extend(cases)
    _add_output(report, [suite])
    return suite


def _suites(report: Report) -> list[Element]:
    suites = [_suite(report, tier, tier.name) for tier in report.tiers]
    if report.outcome is not Outcome.GRADED:
        suites.insert(0, _load_suite(report, "load"))
    _add_output(report, suites)
    return suites


def _add_output(report: Report, suites: Sequence[Element]) -> None:
    if report.output and suites:  # the end of the output, of all tiers together
        SubElement(suites[0], "system-out").text = report.output.rstrip()


def _suite(report: Report, tier: TierResult, name: str) -> Element:
    cases = [_case(report, check, name) for check in tier.checks]
    suite = Element("testsuite", _counts(cases), name=name)
    suite.append(_properties(report, points=tier.points, max_points=tier.max_points))
    suite.extend(cases)
    return suite


def _load_case(report: Report, name: str) -> Element:
    """Why the submission was not graded, as a case of its own: without it, nothing would be red."""
    case = Element("testcase", classname=name, name=str(report.outcome), file=report.submission)
    error = SubElement(case, "error", type=str(report.outcome))
    broken = f"{NOT_YOU}\n" if report.outcome is Outcome.BROKEN else ""
    error.text = broken + report.reason
    return case


def _load_suite(report: Report, name: str) -> Element:
    case = _load_case(report, name)
    suite = Element("testsuite", _counts([case]), name=name)
    suite.append(_properties(report, points=0, max_points=0 if report.tiers else report.max_score))
    suite.append(case)
    return suite


def _case(report: Report, check: CheckResult, classname: str) -> Element:
    case = Element("testcase", classname=classname, name=check.name, file=report.submission)
    # The innermost frame comes first. A notebook's line counts within its cell and would mark a wrong place.
    line = re.search(r":(\d+) in ", check.where or "")
    if line and not report.submission.endswith(".ipynb"):
        case.set("line", line[1])
    case.append(_properties(report, points=check.points, max_points=check.max_points))
    if check.verdict is not Verdict.PASS:
        element = SubElement(case, ELEMENTS.get(check.verdict, "error"), type=str(check.verdict), message=check.claim)
        broken = [NOT_YOU] if check.verdict is Verdict.BROKEN else []
        element.text = "\n".join([check.claim, *broken, *map(_joined, wording(check))])
    return case


def _joined(worded: Wording) -> str:
    return worded.label + worded.text.replace("\n", "\n" + " " * len(worded.label))


def _properties(report: Report, *, points: int, max_points: int) -> Element:
    properties = Element("properties")
    for name, value in (("points", points), ("max_points", max_points), ("seed", report.seed)):
        SubElement(properties, "property", name=name, value=str(value))
    return properties


def _counts(cases: Sequence[Element]) -> dict[str, str]:
    kinds = Counter(child.tag for case in cases for child in case)
    counted = {"failures": kinds["failure"], "errors": kinds["error"], "skipped": kinds["skipped"]}
    return {"tests": str(len(cases)), **{name: str(count) for name, count in counted.items()}}
