"""A report as a piece of HTML: shown in a notebook beside the text report, and used as the main part of a page."""

import re
from collections.abc import Sequence
from pathlib import Path

from grader.formats.clean import cleaned
from grader.formats.code import line_of, line_of_called
from grader.formats.diagrams import growth, memory, shapes
from grader.formats.heatmaps import cells, heatmaps
from grader.formats.markup import Markup, joined, tag
from grader.formats.page import Page
from grader.formats.text import (
    NOT_GRADED,
    NOT_ISOLATED,
    NOT_WRITTEN,
    NOT_YOU,
    first_failing,
    first_named,
    not_written,
    ungraded,
    verdict_of,
)
from grader.formats.wording import wording
from grader.records import CheckResult, Outcome, Report, TierResult, Verdict

STYLE = Path(__file__).with_name("report.css").read_text(encoding="utf-8")
SECTION = re.compile(r"notebooks/(\w+\.ipynb)#([\w-]+)")
NOTHING_PROVEN = "no mistake is proven"
FailedCheck = tuple[TierResult, CheckResult]


def render_fragment(report: Report, *, page: Page | None = None) -> str:
    """One report as HTML that brings its own style, every text in it escaped.

    Colours are JupyterLab's CSS variables; where these are missing, `report.css` sets its own, for light or for dark.

    Args:
        report: the report, with only what its reader may see.
        page: how it is shown: what to run next, the names to begin with, whether all is unfolded.
    """
    return tag("div", tag("style", Markup(STYLE)), body(cleaned(report), page or Page(seed=report.seed)), class_="kr")


def body(report: Report, page: Page, *, lines: str | None = None, in_notebook: bool = True) -> Markup:
    """The score, the tiers, the finding, what else fails, and at the end what readers look for less often.

    Args:
        report: with its texts cleaned.
        page: as of `render_fragment`.
        lines: what the ids of the code's lines begin with; None: no code stands beside it.
        in_notebook: whether the notebooks lie beside it, so that a link leads to them.
    """
    findings = finding(report, page, lines, in_notebook=in_notebook)
    return joined(score(report), bar(report), findings, remarks(report), small_print(report, page))


def score(report: Report) -> Markup:
    """The kata, the points, and how many tiers passed."""
    passed = sum(tier.passed for tier in report.tiers)
    points = NOT_GRADED if ungraded(report) else f"{report.score} of {report.max_score}"
    tiers = None if ungraded(report) else f"{passed} of {len(report.tiers)} tiers passed"
    return tag(
        "p",
        tag("b", report.kata or "kata unknown"),
        " ",
        tag("span", points, class_="kr-points"),
        " ",
        tag("span", tiers, class_="kr-dim") if tiers else None,
        class_="kr-score",
    )


def bar(report: Report) -> Markup | None:
    """A bar of the tiers, each as wide as its points, and their names with the points below it."""
    if ungraded(report) or not report.tiers:
        return None
    rects, x = [], 0.0
    for tier in report.tiers:
        room = tier.max_points - 0.4
        won = room * tier.points / tier.max_points if tier.max_points else 0
        there = {"y": 0, "height": 3, "x": f"{x:g}"}
        title = tag("title", _points(tier))
        rects += [tag("rect", title, **there, width=f"{room:g}", class_="kr-lost")]
        rects += [tag("rect", title, **there, width=f"{won:g}", class_="kr-won")] if won else []
        x += tier.max_points
    said = "; ".join(_points(tier) for tier in report.tiers)
    drawn = tag(
        "svg",
        *rects,
        viewBox=f"0 0 {x - 0.4:g} 3",
        preserveAspectRatio="none",
        role="img",
        aria_label=said,
        class_="kr-bar",
    )
    names = [
        tag("li", _mark(verdict_of(tier)), " ", tier.name, " ", tag("span", f"{tier.points}/{tier.max_points}"))
        for tier in report.tiers
    ]
    return joined(drawn, tag("ul", *names, class_="kr-tiers"))


def finding(report: Report, page: Page, lines: str | None, *, in_notebook: bool) -> Markup | None:
    """What is wrong: the mistake first, then the check that shows it, then the other failed checks by their reason.

    Args:
        report: with its texts cleaned.
        page: as of `render_fragment`.
        lines: as of `body`.
        in_notebook: as of `body`.
    """
    if report.outcome is not Outcome.GRADED:
        return _message(report)
    if not_written(report):
        names = joined(" with ", *_listed([tag("code", name) for name in page.begin])) if page.begin else None
        return tag("p", "Not written yet: begin in ", tag("code", report.submission), names, ".", class_="kr-first")
    failing = first_failing(report)
    if failing is None:
        return tag("p", "Every tier passed.", class_="kr-first")
    named = failing if failing[1].mistake else first_named(report)
    leads = named is not None and failing[1].verdict is Verdict.FAIL  # what raises comes before any value
    others = [(tier, check) for tier in report.tiers for check in tier.checks if check.verdict is not Verdict.PASS]
    shown = list(dict.fromkeys(each for each in ((named, failing) if leads else (failing, named)) if each))
    drawn = _pictured(others, shown)
    return joined(
        _first_sentence(*shown[0], in_notebook=in_notebook),
        *(
            in_detail(report, *each, of_all=each is failing, lines=lines, is_headline=each is shown[0])
            for each in shown
        ),
        _drawn(drawn, shown) if drawn else None,
        *_groups([each for each in others if each not in shown], failing[1], unfolded=page.reveal == "all"),
    )


def in_detail(
    report: Report,
    tier: TierResult,
    check: CheckResult,
    *,
    of_all: bool = False,
    lines: str | None = None,
    is_headline: bool = False,
) -> Markup:
    """One check with its claim, what was looked at, expected and got.

    Args:
        report: the report that the check is in.
        tier: the tier that the check is in.
        check: the check to show.
        of_all: whether to add what is said of all checks together: from which place, and in which calls, values are
            wrong.
        lines: as of `body`.
        is_headline: whether its mistake was already shown as the first sentence.
    """
    rows = [(each.label.strip() or "of", each.text) for each in wording(check) if each.style == ""]
    rows += [("mistake", "; and ".join(check.mistakes))] if check.mistakes and not is_headline else []
    line = line_of(check.where, report) if lines and check.where else None
    linked = {"where": tag("a", check.where, href=f"#{lines}{line}")} if line else {}
    defined = line_of_called(check.called, report) if lines and check.called else None
    if defined:
        rows.append(("called", str(check.called)))
        linked["called"] = tag("a", check.called, href=f"#{lines}{defined}")
    if of_all:
        rows += [(label, text) for label, text in (("place", report.parts_at), ("when", report.fails_when)) if text]
    return tag(
        "section",
        tag("p", _mark(check.verdict), " ", _named(tier, check), class_="kr-claim"),
        tag("p", NOT_YOU) if check.verdict is Verdict.BROKEN else None,
        tag("dl", *(joined(tag("dt", label), tag("dd", linked.get(label, text))) for label, text in rows))
        if rows
        else None,
        _diagram(check),
        class_="kr-check",
    )


def _diagram(check: CheckResult) -> Markup | None:
    return next((drawn for draw in (shapes, growth, memory) if (drawn := draw(check)) is not None), None)


def _pictured(failed: Sequence[FailedCheck], shown: Sequence[FailedCheck]) -> FailedCheck | None:
    """The check with the smallest drawn call, of those that failed for the first shown check's reason, else of all."""
    reason = reason_of(shown[0][1])
    sizes = [
        (reason_of(failure[1]) != reason, cells(picture), failure not in shown, place)
        for place, failure in enumerate(failed)
        if (picture := failure[1].picture) is not None
    ]
    return failed[min(sizes)[-1]] if sizes else None


def _drawn(pictured: FailedCheck, shown: Sequence[FailedCheck]) -> Markup:
    """The picture of a wrong call, and the check that made the call where it is not already shown."""
    tier, check = pictured
    assert check.picture is not None
    made_for = tag("p", "The smallest wrong call, made for ", _named(tier, check), class_="kr-dim")
    of = None if pictured in shown else made_for
    return joined(of, heatmaps(check.picture))


def remarks(report: Report) -> Markup | None:
    """Questions for an interviewer, and notes."""
    # In an untouched stub, cells that use what is not written yet raise too: the candidate need not read that.
    notes = report.remarks if not_written(report) else (*report.remarks, *report.notes)
    notes = (*notes, report.worth_reading) if report.worth_reading else notes
    questions = [tag("li", tag("b", tier.name), " ", tier.question) for tier in report.tiers if tier.question]
    return joined(
        tag("h4", "Questions to ask") if questions else None,
        tag("ul", *questions, class_="kr-list") if questions else None,
        tag("h4", "Notes") if notes else None,
        tag("ul", *(tag("li", note) for note in notes), class_="kr-list") if notes else None,
    )


def small_print(report: Report, page: Page) -> Markup:
    """What was printed, and seed, protections and command, folded; that the run was not isolated is not folded."""
    on = [name for name, active in report.protections.items() if active]
    off = [name for name, active in report.protections.items() if not active]
    rows = [("file", report.submission), ("seed", str(report.seed)), ("device", report.device)]
    rows += [("protections on", ", ".join(on) or "none")] if report.protections else []
    rows += [("protections off", ", ".join(off))] if off else []
    rows += [("run next", page.command)] if page.command else []
    folded = [
        f"seed {report.seed}",
        *(["protections"] if report.protections else []),
        *(["command"] if page.command else []),
    ]
    output = report.output.rstrip()
    return joined(
        _folded("Printed by the submission, the end of it", tag("pre", output)) if output else None,
        tag("p", NOT_ISOLATED, class_="kr-warning") if report.isolated is False else None,
        _folded(
            ", ".join(folded),
            tag("dl", *(joined(tag("dt", label), tag("dd", text)) for label, text in rows)),
            class_="kr-small",
        ),
    )


def _message(report: Report) -> Markup:
    mark = NOT_YOU if report.outcome is Outcome.BROKEN else report.outcome.upper()
    return joined(tag("p", tag("b", mark), class_="kr-first kr-failed"), tag("pre", report.reason))


def _first_sentence(tier: TierResult, check: CheckResult, *, in_notebook: bool) -> Markup:
    """The mistake, why it is one and where to read on; else what was raised, or what is not proven."""
    if not check.mistakes:
        said = f"not proven: {tier.proves}" if check.verdict is Verdict.FAIL else check.got or check.verdict
        return tag("p", tag("b", _sentence(said)), class_="kr-first")
    sections = dict.fromkeys(reason.section for reason in check.reasons)
    return joined(
        tag("p", tag("b", _sentence("; and ".join(check.mistakes))), class_="kr-first"),
        *(tag("p", reason.why) for reason in check.reasons),
        tag("p", "Read on: ", *_listed([_section(section, in_notebook) for section in sections])) if sections else None,
    )


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}{'' if text.endswith('.') else '.'}"


def _section(section: str, in_notebook: bool) -> Markup:
    """A notebook's section by its heading, as a link where the notebooks lie in the same folder."""
    known = SECTION.fullmatch(section)
    if not known:
        return tag("code", section)
    notebook, anchor = known.groups()
    heading = anchor.replace("-", " ")
    if in_notebook:
        return tag("a", f"{heading} ({notebook})", href=f"{notebook}#{anchor}")
    return joined(tag("b", heading), " in notebooks/", notebook)


def _groups(others: Sequence[FailedCheck], shown: CheckResult, *, unfolded: bool) -> list[Markup]:
    """The other checks that fail, a fold for each reason.

    Args:
        others: the failed checks that are not shown already.
        shown: the check whose reason comes first.
        unfolded: whether each fold is open.
    """
    first = reason_of(shown)
    by_reason: dict[str, list[FailedCheck]] = {first: []}
    for failure in others:
        by_reason.setdefault(reason_of(failure[1]), []).append(failure)
    return [_group(reason, failures, reason == first, unfolded) for reason, failures in by_reason.items() if failures]


def _group(reason: str, failures: Sequence[FailedCheck], is_first: bool, unfolded: bool) -> Markup:
    one = len(failures) == 1
    more = f"{len(failures)} more check{'' if one else 's'} fail{'s' if one else ''}"
    same = "for the same reason" if is_first and reason != NOTHING_PROVEN else None
    claims = [tag("li", _mark(check.verdict), " ", _named(tier, check)) for tier, check in failures]
    words = f"{more} {same}" if same else f"{more}: {reason}"
    return _folded(words, tag("ul", *claims, class_="kr-list"), open=unfolded)


def reason_of(check: CheckResult) -> str:
    """The reason by which failed checks are grouped: their mistakes, what they raised and where, or their verdict."""
    if check.mistakes:
        return "; and ".join(check.mistakes)
    if check.verdict is Verdict.FAIL:
        return NOTHING_PROVEN
    if check.verdict is Verdict.ERROR and check.where:
        raised, place = (check.got or "an error").partition(":")[0], check.where.partition(": ")[0]
        return f"{raised} at {place}"  # without the message, which holds the sizes of each call
    return check.got or {Verdict.TODO: NOT_WRITTEN, Verdict.SKIP: "not run"}.get(check.verdict, check.verdict)


def _named(tier: TierResult, check: CheckResult) -> Markup:
    return joined(tag("span", f"{tier.name}:", class_="kr-dim"), " ", check.claim)


def _folded(summary: str, *inside: str, **attributes: object) -> Markup:
    return tag("details", tag("summary", summary), *inside, **attributes)


def _mark(verdict: Verdict) -> Markup:
    styles = {Verdict.PASS: "kr-passed", Verdict.TODO: "kr-dim", Verdict.SKIP: "kr-dim"}
    return tag("b", verdict.upper(), class_=f"kr-mark {styles.get(verdict, 'kr-failed')}")


def _points(tier: TierResult) -> str:
    return f"{tier.name}: {tier.points} of {tier.max_points}"


def _listed(parts: Sequence[str]) -> list[str]:
    return [each for part in parts for each in (Markup(", "), part)][1:]
