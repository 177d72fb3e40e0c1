"""The page of `--html`: one file, no network, no script, the code beside the findings."""

import base64
import hashlib
import re
import shutil
import subprocess
from dataclasses import replace
from html import escape
from pathlib import Path

import pytest

from grader.cli import main
from grader.core.audience import for_audience
from grader.formats import FORMATS, html
from grader.formats.code import MOST_LINES
from grader.records import CANDIDATE, INTERVIEWER, LEARNER, Cell, Outcome, Report, TierResult, Verdict
from tests.grading import ROOT
from tests.test_fragment import FAILED, HOSTILE, INVERTED, Read, check, hostile, report

SOURCE = 'import torch\n\n\ndef forward(x):\n    """<b>Bold</b>."""\n    return x  # the "input"\n'
RAISED = check("r", Verdict.ERROR, got="raised ValueError: no",
               where="mha.py:6 in forward: return x  (called from mha.py:4 in <module>)")  # fmt: skip
WITH_CODE = report(TierResult("shapes", "shapes hold", (RAISED,), "Why?"), source=(Cell(SOURCE),))


def page(*reports: Report, many: bool = False) -> str:
    return html.dumps(reports, many=many).decode()


def test_the_policy_lets_in_the_style_alone() -> None:
    whole = page(FAILED)
    [policy] = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', whole)
    [style] = re.findall(r"<style>(.*?)</style>", whole, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'" == policy


@pytest.mark.parametrize("record", [FAILED, WITH_CODE, report(outcome=Outcome.UNLOADABLE, message="no name")])
def test_the_page_needs_nothing_besides_itself(record: Report) -> None:
    whole = page(record)
    read = Read(whole)
    assert not {"script", "img", "iframe", "link", "object", "form"} & set(read.tags)
    assert not [name for name, _ in read.attributes if name in ("style", "src") or name.startswith("on")]
    assert all(value.startswith("#") for name, value in read.attributes if name == "href")
    assert not re.search(r"https?:|//|url\(|@import", whole.replace("</", ""))


@pytest.mark.parametrize("outcome", list(Outcome))
def test_no_text_of_a_submission_becomes_markup(outcome: Outcome) -> None:
    for record in (FAILED, WITH_CODE):
        bad = replace(hostile(record), outcome=outcome, source=(Cell(HOSTILE), Cell(HOSTILE, 3)))  # type: ignore[type-var]
        for many in (False, True):
            whole = page(bad, many=many)
            read = Read(whole)
            assert not read.open
            assert not {"script", "img"} & set(read.tags)
            assert not [name for name, _ in read.attributes if name.startswith("on") or name in ("style", "src")]
            assert 1 == whole.count("</style>") == whole.partition("</head>")[0].count("<title>")
            assert "<script>alert(1)</script>" in read.text


def test_lines_that_a_finding_names_are_marked_and_linked() -> None:
    whole = page(WITH_CODE)
    assert '<li class="kr-where" id="report-1-line-6">' in whole
    assert '<li class="kr-called" id="report-1-line-4">' in whole
    assert "<p>raised ValueError: no</p>" in whole
    assert '<a href="#report-1-line-6">' in whole
    assert 6 == whole.count("<li><code>") + 2


def test_code_is_shown_as_it_stands() -> None:
    [code] = re.findall(r'<ol class="kr-code">(.*?)</ol>', page(WITH_CODE), re.DOTALL)
    lines = [Read(line).text for line in re.findall(r"<code>(.*?)</code>", code)]
    assert SOURCE.splitlines() == [line.rstrip() for line in lines]


@pytest.mark.parametrize(
    "source", ['"""never ended', "x = 'a\\", "\x00\x1b[31m\u202e", "\r\nx\r", "", '"""' * 1000 + "\\"]
)
def test_what_is_no_python_is_shown_too(source: str) -> None:
    read = Read(page(replace(WITH_CODE, source=(Cell(source),))))
    assert not read.open
    assert not set("\x00\x1b\u202e") & set(read.text)


def test_cells_of_a_notebook_have_their_numbers_and_marks() -> None:
    raised = check("r", Verdict.ERROR, got="raised ValueError: no", where="cell 3:1 in <module>: y")
    cells = (Cell("x", 2), Cell("y", 3))
    whole = page(replace(report(TierResult("shapes", "s", (raised,)), source=cells), submission="a.ipynb"))
    assert ["cell 2", "cell 3"] == re.findall(r"<h4>(cell \d)</h4>", whole)
    assert ["report-1-cell-3-line-1"] == re.findall(r'<li class="kr-where" id="(.*?)">', whole)


WRONG = [
    check(
        f"w{number}",
        Verdict.FAIL,
        what="output",
        expected="1",
        got="2",
        called="forward",
        mistakes=("no scale",),
    )
    for number in range(2)
]


@pytest.mark.parametrize(
    ("source", "lines"),
    [
        ("import x\n\nclass A:\n    def forward(self):\n        pass", ["report-1-line-4"]),
        ("class A:\n    def forward(self): pass\nclass B:\n    def forward(self): pass", []),
        ("def forwards(x): pass", []),
    ],
    ids=["one", "two", "another name"],
)
def test_what_returned_wrong_values_is_marked_where_it_is_defined(source: str, lines: list[str]) -> None:
    whole = page(report(TierResult("parity", "p", tuple(WRONG)), source=(Cell(source),)))
    assert lines == re.findall(r'<li class="kr-where" id="(.*?)">', whole)
    assert ("<p>2 checks failed in calls of this: no scale</p>" in whole) == bool(lines)


@pytest.mark.parametrize(("audience", "marks"), [(LEARNER, True), (INTERVIEWER, True), (CANDIDATE, False)])
def test_readers_of_a_wrong_answer_are_shown_the_function_that_gave_it(audience: str, marks: bool) -> None:
    """A candidate is not told what a hidden check called."""
    failure = replace(WRONG[0], inputs="forward((2, 5, 8))")
    record = report(TierResult("parity", "p", (failure,)), source=(Cell("class A:\n    def forward(self): pass"),))
    whole = page(for_audience(record, audience, reveal=False))
    assert marks == ('<li class="kr-where" id="report-1-line-2">' in whole)
    assert marks == ('<dt>called</dt><dd><a href="#report-1-line-2">forward</a></dd>' in whole)


def test_a_cell_that_raised_is_marked_by_its_note() -> None:
    note = "cell 2 raised RuntimeError: sizes [3, 8]. (cell 2:1 in <module>: print(x @ x)  # (why?))"
    record = report(TierResult("shapes", "s", (check("a"),)), source=(Cell("print(x @ x)", 2),), notes=(note,))
    assert "<p>cell 2 raised RuntimeError: sizes [3, 8].</p>" in page(record)


def test_long_code_is_cut() -> None:
    whole = page(replace(WITH_CODE, source=(Cell("x\n" * (MOST_LINES + 10)), Cell("y"))))
    assert MOST_LINES == len(re.findall(r"<li(?: [^>]*)?><code>", whole))
    assert "The rest of the code is not shown." in whole


def test_a_report_without_its_source_has_no_code() -> None:
    assert "The code that was graded" not in page(FAILED)
    assert "The code that was graded" in page(WITH_CODE)


def test_questions_tiers_and_every_check_are_there() -> None:
    read = Read(page(replace(WITH_CODE, tiers=(*WITH_CODE.tiers, *FAILED.tiers))))
    for said in ("Why?", "Every check", "0 of 25 points, 0 of 5 checks passed", "claim f", "seccomp"):
        assert said in read.text


def test_a_notebook_section_is_named_and_not_linked() -> None:
    whole = page(report(TierResult("padding", "p", (check("b", Verdict.FAIL, **INVERTED),))))
    assert "<b>Masks</b> in notebooks/scaffold.ipynb" in whole


def test_a_stack_has_a_list_and_ids_of_its_own() -> None:
    whole = page(WITH_CODE, replace(WITH_CODE, submission="b.py"), many=True)
    assert ["#report-1", "#report-2"] == re.findall(r'<a href="(#report-\d)">', whole)
    ids = re.findall(r' id="([^"]*)"', whole)
    assert sorted(set(ids)) == sorted(ids)


def test_a_graded_file_stands_beside_its_findings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, one_sandbox: None
) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copy(ROOT / "tests/golden/runs/raises-in-forward/submission.py", "submission.py")
    main(["grade", "submission.py", "--kata", "module", "--seed", "7", "--tier", "shapes", "--html", "r.html"])
    whole = Path("r.html").read_text()
    assert 'id="report-1-line-22"' in whole
    assert "scores = Q @ K / math.sqrt(Q.shape[-" in Read(whole).text
    assert set(FORMATS) >= {"html"}


WIDE = "output = self.dropout(self.W_O(self._combine_heads(attended)))"
MEASURED = """<!doctype html><iframe width="{width}" height="20000" srcdoc="{page}" onload="
  const heads = [...contentDocument.querySelectorAll('th')].map(head => head.offsetHeight);
  document.title = [contentDocument.documentElement.scrollWidth, Math.max(0, ...heads)]"></iframe>"""


def browsed(whole: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """What Chromium makes of a page, and what it says meanwhile."""
    path = folder / "r.html"
    path.write_text(whole)
    options = (
        "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
        f"--disable-component-update --disable-sync --user-data-dir={folder}/profile --enable-logging=stderr --dump-dom"
    )
    command = ["chromium", *options.split(), path.as_uri()]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)


def measured(whole: str, width: int, folder: Path) -> list[int]:
    """How wide a page is in a frame of that width, and how high its highest head of a column."""
    ran = browsed(MEASURED.format(width=width, page=escape(whole)), folder)
    return [int(number) for number in re.findall(r"<title>(\d+),(\d+)</title>", ran.stdout)[0]]


@pytest.mark.deep
@pytest.mark.skipif(shutil.which("chromium") is None, reason="there is no Chromium")
def test_a_browser_obeys_the_policy(tmp_path: Path) -> None:
    ran = browsed(page(replace(hostile(FAILED), source=(Cell(HOSTILE + SOURCE),))), tmp_path)  # type: ignore[type-var]
    assert "Content Security Policy" not in ran.stderr
    assert "<main" in ran.stdout
    assert "<script" not in ran.stdout


@pytest.mark.deep
@pytest.mark.skipif(shutil.which("chromium") is None, reason="there is no Chromium")
@pytest.mark.parametrize("width", [390, 1280])
def test_nothing_stands_out_of_the_page(width: int, tmp_path: Path) -> None:
    """The frame's own page may run the script that measures it."""
    raised = check("r", Verdict.ERROR, got="raised RuntimeError: no", where=f"mha.py:6 in forward: {WIDE}")
    wide = report(TierResult("shapes", "s", (raised,)), *FAILED.tiers, source=(Cell(f"{SOURCE}{'x' * 500}\n{WIDE}"),))
    assert width == measured(page(wide), width, tmp_path)[0]
