"""A report as a piece of HTML for a notebook."""

import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from grader.formats.fragment import render_fragment
from grader.formats.page import Page
from grader.records import Cell, CheckResult, Outcome, Picture, Reason, Report, TierResult, Verdict

HOSTILE = "</style><script>alert(1)</script><img src=x onerror='alert(2)'>\"&\x1b[31m"
VOID = {"img", "br", "link", "meta", "input"}


class Read(HTMLParser):
    """What a browser makes of it: the tags, the attributes, the text outside of style."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open, self.tags, self.attributes, self.text = list[str](), list[str](), list[tuple[str, str]](), ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.text += data


def check(name: str, verdict: Verdict = Verdict.PASS, **fields: object) -> CheckResult:
    return CheckResult(name, f"claim {name}", verdict, 5 if verdict is Verdict.PASS else 0, 5, **fields)  # type: ignore[arg-type]


def report(*tiers: TierResult, **fields: object) -> Report:
    given = {"outcome": Outcome.GRADED, "duration_s": 0.5, "protections": {"seccomp": True}, "tiers": tiers}
    return Report("scaffold", "mha.py", "0" * 64, 7, "cpu", **given | fields)  # type: ignore[arg-type]


PICTURE = Picture("weights", "N=1", ("query", "key"), ("head 0",), (((0.5, "nan"),),), (((1.0, 0.0),),), (((0, 1),),))
INVERTED = {"mistakes": ("the mask was inverted",), "reasons": (Reason("It hides.", "notebooks/scaffold.ipynb#Masks"),)}
FAILED = report(
    TierResult("shapes", "shapes hold", (check("a"),)),
    TierResult("padding", "padded keys take no part", (
        check("b", Verdict.FAIL, what="weights", expected="0", got="0.5", where="mha.py:3 in forward: x", **INVERTED),
        check("c", Verdict.FAIL, picture=PICTURE, **INVERTED),
        check("d", Verdict.ERROR, got="raised ValueError: no"),
        check("e", Verdict.ERROR, got="raised ValueError: no"),
        check("f", Verdict.FAIL),
    )),
)  # fmt: skip


def test_a_section_of_several_words_is_linked_and_reads_as_they_do() -> None:
    reason = Reason("It hides.", "notebooks/a.ipynb#One-length-at-a-time")
    failure = check("b", Verdict.FAIL, mistakes=("the mask was inverted",), reasons=(reason,))
    read = Read(render_fragment(report(TierResult("padding", "p", (failure,)))))
    assert "One length at a time (a.ipynb)" in read.text
    assert ("href", "a.ipynb#One-length-at-a-time") in read.attributes


def test_the_mistake_is_the_first_sentence_and_why_and_a_link_follow() -> None:
    read = Read(render_fragment(FAILED))
    said = [
        "5 of 30",
        "1 of 2 tiers passed",
        "The mask was inverted.",
        "It hides.",
        "Masks (scaffold.ipynb)",
        "claim b",
    ]
    places = [read.text.index(each) for each in said]
    assert sorted(places) == places
    assert ("href", "scaffold.ipynb#Masks") in read.attributes


def test_checks_with_one_reason_stand_in_one_line() -> None:
    html = render_fragment(FAILED)
    assert [
        "1 more check fails for the same reason",
        "2 more checks fail: raised ValueError: no",
        "1 more check fails: no mistake is proven",
        "seed 7, protections",
    ] == re.findall(r"<summary>(.*?)</summary>", html)
    assert " open" not in html
    assert " open" in render_fragment(FAILED, page=Page(seed=7, reveal="all"))


def test_a_mistake_of_a_later_check_leads_where_the_first_one_has_wrong_values() -> None:
    values = replace(FAILED.tiers[1], name="parity")
    wrong = TierResult("causal", "no later key", (check("r", Verdict.FAIL, got="0.5"),))
    read = Read(render_fragment(replace(FAILED, tiers=(wrong, values))))
    assert read.text.index("The mask was inverted.") < read.text.index("claim b") < read.text.index("claim r")


def test_what_was_raised_leads_where_the_first_check_raised() -> None:
    values = replace(FAILED.tiers[1], name="parity")
    raised = TierResult("causal", "no later key", (check("r", Verdict.ERROR, got="raised KeyError: 3"),))
    read = Read(render_fragment(replace(FAILED, tiers=(raised, values))))
    places = ["Raised KeyError: 3.", "claim r", "claim b", "the mask was inverted"]
    assert sorted(places, key=read.text.index) == places


def test_checks_that_raise_in_one_line_with_other_sizes_fail_for_one_reason() -> None:
    raised = [
        check(name, Verdict.ERROR, got=f"raised ValueError: size {name}", where="mha.py:3 in forward: x @ y")
        for name in "abc"
    ]
    html = render_fragment(report(TierResult("shapes", "shapes hold", tuple(raised))))
    assert "2 more checks fail for the same reason" in html


def test_without_a_mistake_what_is_not_proven_leads() -> None:
    html = render_fragment(report(TierResult("padding", "padded keys take no part", (check("f", Verdict.FAIL),))))
    assert "<b>Not proven: padded keys take no part.</b>" in html


def test_of_the_calls_for_the_first_reason_the_smallest_is_drawn() -> None:
    large = replace(
        PICTURE, call="large", got=PICTURE.got * 2, expected=PICTURE.expected * 2, titles=("0", "1"), hidden=None
    )
    checks = [
        check("a", Verdict.FAIL, picture=large, **INVERTED),
        check("b", Verdict.FAIL, picture=replace(PICTURE, call="small"), **INVERTED),
        check("c", Verdict.FAIL, picture=replace(PICTURE, call="other reason")),
    ]
    html = render_fragment(report(TierResult("padding", "padded keys take no part", tuple(checks))))
    assert "(small)" in html
    assert "(large)" not in html
    assert "The smallest wrong call, made for" in html


def test_the_bar_says_in_words_what_it_shows() -> None:
    assert ("aria-label", "shapes: 5 of 5; padding: 0 of 25") in Read(render_fragment(FAILED)).attributes


def test_what_to_run_next_is_folded() -> None:
    read = Read(render_fragment(FAILED, page=Page(seed=7, command="%grade scaffold --seed 7")))
    assert "%grade scaffold --seed 7" in read.text


def test_a_stub_says_where_to_begin() -> None:
    stub = report(TierResult("shapes", "shapes hold", (check("a", Verdict.TODO), check("b", Verdict.TODO))))
    read = Read(render_fragment(stub, page=Page(seed=7, begin=("forward", "_split_heads"))))
    assert "Not written yet: begin in mha.py with forward, _split_heads." in read.text


@pytest.mark.parametrize("outcome", [Outcome.UNLOADABLE, Outcome.TIMEOUT, Outcome.MEMORY, Outcome.CRASH])
def test_what_could_not_be_graded_says_why(outcome: Outcome) -> None:
    read = Read(render_fragment(report(outcome=outcome, message="line 3: no such name")))
    assert "not graded" in read.text
    assert f"{outcome.upper()}line 3: no such name" in read.text


def test_the_grader_failed_is_said_of_the_grader() -> None:
    assert "The grader failed, not your submission." in Read(render_fragment(report(outcome=Outcome.BROKEN))).text


def test_a_full_score_has_no_finding() -> None:
    read = Read(render_fragment(report(TierResult("shapes", "shapes hold", (check("a"),)))))
    assert "Every tier passed." in read.text
    assert "FAIL" not in read.text


def test_that_nothing_confined_it_is_not_folded() -> None:
    open_report = report(FAILED.tiers[1], protections={"seccomp": False})
    assert "not isolated: run only code that you trust" in render_fragment(open_report).partition("<summary>seed")[0]


def hostile(field: object) -> object:
    """The same record with every text replaced."""
    match field:
        case Report() | TierResult() | CheckResult() | Reason() | Picture() | Cell():
            names = [name for name in type(field).__slots__ if name not in ("evidence", "number")]
            return replace(field, **{name: hostile(getattr(field, name)) for name in names})  # type: ignore[type-var]
        case Verdict() | Outcome():
            return field
        case tuple():
            return tuple(map(hostile, field))
        case dict():
            return {HOSTILE: all(field.values())}
        case str():
            return HOSTILE
    return field


@pytest.mark.parametrize("outcome", list(Outcome))
def test_no_text_of_a_report_becomes_markup(outcome: Outcome) -> None:
    page = Page(seed=7, command=HOSTILE, begin=(HOSTILE,))
    for tiers in (FAILED.tiers, (TierResult("shapes", "s", (check("a", Verdict.TODO),)),)):
        given = replace(hostile(replace(FAILED, tiers=tiers)), outcome=outcome)  # type: ignore[type-var]
        html = render_fragment(given, page=page)
        read = Read(html)
        assert not read.open
        assert not {"script", "img"} & set(read.tags)
        assert not [name for name, _ in read.attributes if name.startswith("on") or name in ("style", "src")]
        assert [value for name, value in read.attributes if name == "href"] == []
        assert "</style><script>" not in html
        assert "<script>alert(1)</script>" in read.text
        assert "\x1b" not in html
