"""What reports promise to programs and terminals, beyond their golden text."""

import io
import json
import shlex
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import jsonschema
import pytest
from rich.cells import cell_len

from grader import read_reports
from grader.cli.command import grade_command
from grader.core import NextRun
from grader.formats import FORMATS, junit
from grader.formats import json as report_json
from grader.formats.clean import clean
from grader.formats.files import check_target, write_whole
from grader.formats.lines import Span, in_colour, plain, show, width_for, wrapped
from grader.formats.summary import render_overview
from grader.formats.text import printed, render
from grader.records import Evidence, GraderError, Outcome, Reason, Report, TierResult, Verdict
from tests.fakes import check, report

FAILED = report(
    TierResult("shapes", "shapes are right", (check("a"), check("b", Verdict.FAIL, where="a.py:3 in f: x"))),
    TierResult("parity", "equal", (check("c", Verdict.SKIP), check("d", Verdict.CRASH))),
)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def validate(value: object) -> None:
    jsonschema.validate(value, json.loads(report_json.SCHEMA.read_text()))


def test_the_schema_is_a_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(json.loads(report_json.SCHEMA.read_text()))


@pytest.mark.parametrize("key", ["format", "sha256", "tiers", "message"])
def test_the_schema_asks_for_every_key(key: str) -> None:
    value = report_json.to_dict(FAILED)
    validate(value)
    del value[key]
    with pytest.raises(jsonschema.ValidationError):
        validate(value)


def test_the_schema_knows_every_key_and_value() -> None:
    for change in ({"extra": 1}, {"outcome": "fine"}, {"format": 2}, {"sha256": "xyz"}, {"score": -1}):
        with pytest.raises(jsonschema.ValidationError):
            validate(report_json.to_dict(FAILED) | change)


def test_the_schema_lists_every_verdict_and_outcome() -> None:
    schema = json.loads(report_json.SCHEMA.read_text())["$defs"]
    assert {str(verdict) for verdict in Verdict} == set(schema["check"]["properties"]["verdict"]["enum"])
    assert {str(outcome) for outcome in Outcome} == set(schema["report"]["properties"]["outcome"]["enum"])


def test_one_report_is_an_object_and_a_stack_a_list() -> None:
    assert isinstance(json.loads(report_json.dumps([FAILED], many=False)), dict)
    for reports in ([FAILED], [FAILED, FAILED]):
        values = json.loads(report_json.dumps(reports, many=True))
        assert len(reports) == len(values)
        validate(values)


def test_what_could_not_be_graded_has_a_score_to_divide_by() -> None:
    value = report_json.to_dict(report(outcome=Outcome.UNLOADABLE))
    validate(value)
    assert (0, 100) == (value["score"], value["max_score"])


EVIDENCE = Evidence(got=((1.5, "nan"), (-2.0, 0.25)), differs=((0, 1), (0, 0)))
FULL = report(
    TierResult(
        "padding",
        "padded keys take no part",
        (
            check("a", inputs="f((3, 5))", reasons=(Reason("It is.", "notebooks/plain.ipynb#Masks"),)),
            check("b", Verdict.FAIL, what="x", expected="1", got="2", evidence=EVIDENCE),
            check("c", Verdict.FAIL, evidence=replace(EVIDENCE, expected=EVIDENCE.got)),
        ),
        "Why?",
    ),
    message="some \\u00007 text",
    notes=("a note",),
    remarks=("a remark",),
    worth_reading="worth reading: ctypes",
    output="printed\n  by it",
    digest="0123456789abcdef",
)


@pytest.mark.parametrize("record", [FULL, FAILED, report(kata="", sha256="", outcome=Outcome.UNLOADABLE)])
def test_a_report_is_read_back_as_it_was(record: Report) -> None:
    for many in (False, True):
        assert [record] == read_reports(report_json.dumps([record], many=many), "r.json")
    assert [record, FULL] == read_reports(report_json.dumps([record, FULL], many=True), "r.json")


def test_a_tensor_stands_in_a_line() -> None:
    assert '"got": [[1.5,"nan"],[-2.0,0.25]],\n' in report_json.dumps([FULL], many=False).decode()


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"format": 2}, "it is not of format 1"),
        ({"seed": "7"}, "report.seed is '7', and a whole number was expected"),
        ({"outcome": "fine"}, "report.outcome is 'fine', and one of graded, unloadable,"),
        ({"tiers": [{}]}, "report.tiers[0].name is missing"),
        ({"protections": {"process": 1}}, "report.protections.process is 1, and true or false was expected"),
        ({"notes": "none"}, "report.notes is 'none', and a list was expected"),
    ],
)
def test_what_is_no_report_is_not_read(change: dict[str, object], why: str) -> None:
    data = json.dumps(report_json.to_dict(FULL) | change).encode()
    with pytest.raises(GraderError) as error:
        report_json.read(data, "r.json")
    assert str(error.value).startswith(f"r.json is no report that can be read ({why}")
    assert str(error.value).endswith("): grade the submission again.")


@pytest.mark.parametrize("data", [b"", b"[" * 100_000, b"\xff", b"3"])
def test_what_is_no_json_is_no_report(data: bytes) -> None:
    with pytest.raises(GraderError, match=r"r\.json is no report that can be read"):
        report_json.read(data, "r.json")


def test_a_report_is_written_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "report.json"
    write_whole(path, b"old")

    def replace(*paths: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", replace)
    with pytest.raises(GraderError) as error:
        write_whole(path, b"new")
    assert f"{path} cannot be written (No space left on device): choose another place." == str(error.value)
    assert "old" == path.read_text()
    assert [path] == list(tmp_path.iterdir())


def test_a_report_in_a_folder_that_is_missing(tmp_path: Path) -> None:
    path = tmp_path / "gone" / "report.json"
    with pytest.raises(GraderError) as error:
        check_target(path)
    assert f"{path} cannot be written, its folder {path.parent} does not exist: make it first." == str(error.value)
    with pytest.raises(GraderError, match="is a folder: name a file in it"):
        check_target(tmp_path)


def test_junit_counts_and_sorts_verdicts() -> None:
    root = ElementTree.fromstring(junit.dumps([FAILED], many=False))
    assert {"tests": "4", "failures": "1", "errors": "1", "skipped": "1"}.items() <= root.attrib.items()
    assert ["shapes", "parity"] == [suite.get("name") for suite in root]
    cases = {case.get("name"): case for case in root.iter("testcase")}
    assert ("shapes", "candidate.py", "3") == tuple(cases["b"].get(key) for key in ("classname", "file", "line"))
    assert ["failure", "skipped", "error"] == [cases[name][-1].tag for name in "bcd"]
    points = {p.get("name"): p.get("value") for p in cases["a"].iter("property")}
    assert {"points": "10", "max_points": "10", "seed": "7"} == points


def test_junit_gives_no_line_within_a_notebook() -> None:
    tier = TierResult("shapes", "shapes", (check("b", Verdict.FAIL, where="cell 2:3 in f: x"),))
    assert b'line="' not in junit.dumps([report(tier, submission="a.ipynb")], many=False)


def test_junit_of_a_stack_keeps_cases_apart() -> None:
    root = ElementTree.fromstring(junit.dumps([FAILED, report(*FAILED.tiers, submission="b.py")], many=True))
    names = [(case.get("classname"), case.get("name")) for case in root.iter("testcase")]
    assert len(names) == len(set(names)) == 8


def test_junit_of_what_has_no_tiers_has_the_points_of_a_kata() -> None:
    """A gradebook divides by them."""
    root = ElementTree.fromstring(junit.dumps([report(outcome=Outcome.UNLOADABLE, message="no name")], many=False))
    assert "100" in [each.get("value") for each in root.iter("property") if each.get("name") == "max_points"]


def test_junit_of_what_could_not_be_graded_is_red() -> None:
    root = ElementTree.fromstring(junit.dumps([report(outcome=Outcome.UNLOADABLE, message="no name")], many=False))
    assert "1" == root.get("errors")
    assert "no name" == root.findtext(".//error")


@pytest.mark.parametrize("hidden", ["\x1b[31m", "\x1b]0;title\x07", "\x00", "\r", "\u202e", "\u200f", "\ufeff", "\x9b"])
def test_what_a_terminal_would_act_on_is_removed(hidden: str) -> None:
    assert "abc" == clean(f"a{hidden}bc")


def test_text_that_can_be_read_stays() -> None:
    text = "é 数 → ≤ \n  √(D) 🙂"
    assert text == clean(text)


def test_no_control_character_of_a_submission_reaches_any_report() -> None:
    evil = "x\x1b[2J\u202ey\x00"
    bad = check("a", Verdict.ERROR, what=evil, expected=evil, got=evil, mistakes=(evil,), where=evil)
    record = report(
        TierResult("shapes", "p", (bad,)), submission="y", message=evil, notes=(evil,), outcome=Outcome.CRASH
    )
    for text in (form.dumps([record], many=False).decode() for form in FORMATS.values()):
        assert "xy" in text
        assert not any(sign in text for sign in ("\x1b", "\u202e", "\x00", "\\u001b", "\\u202e", "\\u0000"))


@pytest.mark.parametrize("hidden", ["\x1b[2J", "\u200b", "\u202e", "\ufeff", "\udce9", "\n", "\t", "\u2028"])
def test_a_file_is_not_shown_by_the_name_of_another(hidden: str) -> None:
    one, other = report(submission="a/alice.py"), report(submission=f"a/{hidden}alice.py")
    assert "a/alice.py" == report_json.to_dict(one)["submission"]
    shown = report_json.to_dict(other)["submission"]
    assert "a/alice.py" != shown
    assert shown.isprintable()
    rows = plain(render_overview([one, other], seed=7)).splitlines()
    assert 1 == sum("  a/alice.py" in row for row in rows)


def test_colour_only_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert not in_colour(io.StringIO())
    assert in_colour(Terminal())
    monkeypatch.setenv("NO_COLOR", "1")
    assert not in_colour(Terminal())


def test_colour_changes_no_letter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    terminal, lines = Terminal(), render(FAILED)
    show(lines, terminal)
    assert "\x1b[" in terminal.getvalue()
    assert plain(lines).split("\n") == [line.rstrip() for line in clean(terminal.getvalue()).split("\n")]


@pytest.mark.parametrize("colour", [False, True])
def test_a_terminal_with_an_old_code_page_gets_question_marks(monkeypatch: pytest.MonkeyPatch, colour: bool) -> None:
    monkeypatch.setattr("grader.formats.lines.in_colour", lambda stream: colour)
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding="ascii")
    show([[Span("é→")]], stream)
    stream.flush()
    assert b"??\n" == raw.getvalue()


def test_width_is_fixed_where_there_is_no_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "77")
    assert (110, 77) == (width_for(io.StringIO()), width_for(Terminal()))


def test_long_text_goes_on_below_its_beginning() -> None:
    text = plain(wrapped("one two three four five six seven eight nine ten", 46, [Span("got   ")]))
    assert "got   one two three four five six seven eight\n      nine ten\n" == text


def test_no_two_blank_lines_stand_in_what_was_read_by_no_process() -> None:
    record = replace(report(outcome=Outcome.UNLOADABLE, message="a syntax error"), protections={})
    text = plain(render(record, width=100))
    assert "\n\nnot graded" in text
    assert "\n\n\n" not in text


def test_a_command_is_quoted_for_the_shell() -> None:
    assert "make grade" == grade_command(NextRun())
    expected = "make grade KATA=plain SUBMISSION='~/my mha (1).ipynb' SEED=0"
    assert expected == grade_command(NextRun("plain", "~/my mha (1).ipynb", seed=0))


def test_a_command_is_cleaned_before_it_is_quoted() -> None:
    """To take an escape sequence out of what is quoted may take a quote with it, and the shell would run the rest."""
    command = grade_command(NextRun(submission="a\x1b'$(touch ran)'.py"))
    assert ["make", "grade", "SUBMISSION=a$(touch ran)'.py"] == shlex.split(command)
    assert command == clean(command)


def test_a_label_in_a_submissions_own_words_is_no_label() -> None:
    words = "raised ValueError: no\nexpected  " + "nothing at all " * 8 + "\nlikely mistake: none of mine"
    lines = render(report(TierResult("shapes", "shapes", (check("a", Verdict.ERROR, got=words),))), width=80)
    left = " " * len("  ERROR  shapes   ")
    assert [Span(f"{left}got       "), Span("raised ValueError: no")] in lines
    assert [Span(f"{left}          "), Span("expected  nothing at all nothing at all nothing at")] in lines
    assert [Span(f"{left}          "), Span("likely mistake: none of mine")] in lines


LONG = "fails in many words that go on and on " * 5


@pytest.mark.parametrize(
    ("got", "said"),
    [("1", ["where", "when"]), (LONG, ["where", "when"]), (LONG * 3, ["when"]), (LONG * 3 + LONG[:50], [])],
    ids=["short", "two lines", "no room for where", "no room"],
)
def test_what_fails_first_is_told_in_a_block_of_twelve_lines(got: str, said: list[str]) -> None:
    failed = check("a", Verdict.FAIL, what="output", expected="0", got=got, mistakes=("no scale", "no mask"))
    whole = report(TierResult("parity", "parity", (failed,)), parts_at=f"looks {LONG}", fails_when="fails at S = 1")
    (left, claim) = next(
        place for place in enumerate(plain(render(whole)).splitlines()) if "FAIL  parity   A." in place[1]
    )
    block = plain(render(whole)).splitlines()[left:]
    block = block[: block.index("")]
    assert claim in block
    assert len(block) <= 12
    assert said == [word for word in ("where", "when") if any(line.startswith(f"  {word} ") for line in block)]


def test_a_proven_mistake_is_coloured_and_what_a_submission_calls_one_is_not() -> None:
    said = {"what": "likely mistake: of the submission's own", "mistakes": ("no scale",)}
    lines = render(report(TierResult("parity", "parity", (check("a", Verdict.FAIL, **said),))))
    styles = [span.style for line in lines for span in line if span.text.startswith("likely mistake")]
    assert ["", "yellow"] == styles


SCORE = "score 100 of 100, 8 of 8 tiers passed"
FORGED = f"x\x1b[2J\n  PASS  shapes  12 of 12\n{SCORE}"


def test_no_line_that_a_submission_names_or_says_looks_like_the_reports_own() -> None:
    named = replace(FAILED, kata=FORGED, submission=FORGED, message=FORGED, notes=(FORGED,), output=FORGED)
    drawn = [*render(named, command=grade_command(NextRun(submission=FORGED))), *printed(named, 60)]
    drawn += render(replace(named, outcome=Outcome.UNLOADABLE, tiers=()))
    text = plain(drawn)
    assert "\x1b" not in text
    assert not {"  PASS  shapes  12 of 12", SCORE} & set(text.split("\n"))
    assert f"  | {SCORE}\n" in text


@pytest.mark.parametrize("padding", [" ", "x ", "\u6ce8", "\u6ce8 ", "\u00a0"])
def test_no_line_is_wider_than_the_terminal_which_would_begin_anew_at_its_left(padding: str) -> None:
    forged = padding * 70 + SCORE
    named = replace(FAILED, submission=forged, message=forged, notes=(forged,), output=forged)
    ungraded = replace(named, outcome=Outcome.UNLOADABLE, tiers=())
    drawn = [*render(named, width=80), *printed(named, 80), *render(ungraded, width=80)]
    drawn += render_overview([named, ungraded], seed=1, width=80)
    assert [] == [line for line in plain(drawn).splitlines() if cell_len(line) > 80]


def test_a_long_line_that_was_printed_keeps_its_place() -> None:
    text = plain(printed(replace(FAILED, output="a" * 50 + " score 100 of 100"), 60))
    assert f"  | {'a' * 50} score\n    100 of 100\n" in text


def test_the_overview_says_of_a_tier_that_failed_that_its_sentence_is_not_proven() -> None:
    failed = TierResult("parity", "the answer is PyTorch's", (check("a", Verdict.FAIL),))
    todo = TierResult("causal", "no query sees a later key", (check("b", Verdict.TODO),))
    shown = plain(render(report(failed, todo)))
    assert "of 10  not proven: the answer is PyTorch's\n" in shown
    assert "of 10  no query sees a later key\n" in shown


def test_of_two_mistakes_of_other_checks_the_one_that_is_new_stands_below_the_first() -> None:
    first = check("a", Verdict.FAIL, mistakes=("over the queries; seen in calls without a mask",))
    pair = [check(name, Verdict.FAIL, mistakes=("over the queries", "inverted")) for name in "bc"]
    shown = plain(render(report(TierResult("parity", "parity", (first, *pair)))))
    assert "  also   inverted, in 2 other checks\n" in shown
    assert "  also   over the queries" not in shown
