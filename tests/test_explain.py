"""Every mistake says why it is one and where to read on, and an interviewer gets a question for each failed tier."""

import json
import re
from dataclasses import fields
from pathlib import Path

import nbformat
import pytest

from grader.checks.kata import Kata
from grader.cli import main
from grader.formats.lines import plain
from grader.formats.text import render
from grader.formats.wording import explained
from grader.judge.diagnosis.annotation import with_mistakes, with_questions
from grader.judge.diagnosis.proof import Named
from grader.oracle.pipeline import Steps
from grader.oracle.rotary import RotarySteps
from grader.oracle.sections import BY_STEP, BY_TIER
from grader.records import AUDIENCES, INTERVIEWER, Reason, TierResult, Verdict
from tests.fakes import check, report
from tests.grading import BY_NAME, ROOT

SUBMISSION = str(ROOT / "tests" / "golden" / "runs" / "transposed-split" / "submission.py")
EACH_KATA = pytest.mark.parametrize("kata", BY_NAME.values(), ids=BY_NAME)
PLAIN_CLASS = BY_NAME["plain_class"]
NO_SCALE = next(one for one in PLAIN_CLASS.key.mistakes if one.name == "no_scale")
BY_VIEW = next(one for one in PLAIN_CLASS.key.mistakes if one.name == "split_by_view")


def headings(kata: str) -> set[str]:
    """The anchors of a notebook's headings, as JupyterLab makes them."""
    book = nbformat.read(ROOT / "notebooks" / f"{kata}.ipynb", as_version=4)
    texts = [cell.source for cell in book.cells if cell.cell_type == "markdown"]
    return {heading.replace(" ", "-") for text in texts for heading in re.findall(r"^#+ (.+)$", text, re.MULTILINE)}


# Why, and where to read on


@EACH_KATA
def test_a_mistake_says_why_it_is_one(kata: Kata) -> None:
    said = {mistake.sentence: mistake.why for mistake in kata.key.mistakes}
    assert [] == [why for why in said.values() if not re.fullmatch(r"[^\n]{30,120}\.", why)]
    assert [] == [why for sentence, why in said.items() if sentence == why]


@EACH_KATA
def test_a_mistake_points_to_a_heading_of_the_katas_notebook(kata: Kata) -> None:
    there = headings(kata.name)
    for mistake in kata.key.mistakes:
        (reason,) = with_mistakes(check("a", Verdict.FAIL), kata, (mistake,)).reasons
        path, anchor = reason.section.split("#")
        assert f"notebooks/{kata.name}.ipynb" == path
        assert anchor in there, mistake.name


RAISED = TierResult("shapes", "shapes", (check("raises", Verdict.ERROR), check("raises_too", Verdict.ERROR)))
NAMED = TierResult(
    "parity", "equal", (check("a"), check("b", Verdict.FAIL, mistakes=("one",)), check("c", Verdict.FAIL))
)
NAMED_FIRST = TierResult("shapes", "shapes", (check("d", Verdict.FAIL, mistakes=("another",)),))


@pytest.mark.parametrize(
    ("tiers", "said"),
    [
        ((RAISED, NAMED), ["Raises.", "Raises too.", "B.", "likely mistake: one"]),
        ((NAMED,), ["B.", "likely mistake: one", "C."]),
        ((NAMED_FIRST, NAMED), ["D.", "likely mistake: another", "one, in another check"]),
        ((RAISED,), ["Raises.", "Raises too."]),
    ],
)
def test_where_the_first_check_names_no_mistake_the_first_one_that_does_is_shown_too(
    tiers: tuple[TierResult, ...], said: list[str]
) -> None:
    lines = plain(render(report(*tiers))).split("\n\n")[2].split("\n")
    assert said == [line.split("   ")[-1].strip() for line in lines]


def test_every_step_of_the_pipeline_has_a_section() -> None:
    families = {field.name for family in (Steps, RotarySteps) for field in fields(family)}
    assert families - {"style"} == set(BY_STEP)


def test_every_tier_has_a_question() -> None:
    tiers = {(kata.name, tier.name) for kata in BY_NAME.values() for tier in kata.tiers}
    assert [] == [(kata, tier) for kata, tier in tiers if tier not in BY_TIER | dict(BY_NAME[kata].key.questions)]


def test_two_mistakes_are_told_with_both_reasons() -> None:
    result = with_mistakes(check("a", Verdict.FAIL), PLAIN_CLASS, (NO_SCALE, BY_VIEW))
    assert (NO_SCALE.sentence, BY_VIEW.sentence) == result.mistakes
    assert NO_SCALE.sentence == result.mistake
    assert [
        f"why: {NO_SCALE.why}",
        f"why: {BY_VIEW.why}",
        "read: notebooks/plain_class.ipynb#Scores",
        "read: notebooks/plain_class.ipynb#Heads",
    ] == [worded.text for worded in explained(result)]


def test_a_place_to_read_is_named_once() -> None:
    reason = Reason("It is.", "notebooks/plain.ipynb#Scores")
    said = [worded.text for worded in explained(check("a", Verdict.FAIL, reasons=(reason, reason)))]
    assert ["why: It is.", "why: It is.", "read: notebooks/plain.ipynb#Scores"] == said


# Questions


def tier(name: str, *verdicts: Verdict) -> TierResult:
    return TierResult(name, "it holds", tuple(check(f"c{n}", verdict) for n, verdict in enumerate(verdicts)))


def questions_of(kata: Kata, mistakes: dict[str, Named], *tiers: TierResult) -> list[str | None]:
    return [each.question for each in with_questions(tiers, kata, mistakes)]


@EACH_KATA
def test_each_tier_that_failed_has_a_question(kata: Kata) -> None:
    for each in {each.tier.name for each in kata.checks}:
        assert re.fullmatch(r"[^\n]{30,140}\?", str(questions_of(kata, {}, tier(each, Verdict.PASS, Verdict.FAIL))[0]))


def test_a_kata_without_masks_is_not_asked_about_masked_rows() -> None:
    (question,) = questions_of(PLAIN_CLASS, {}, tier("nan safety", Verdict.FAIL))
    assert "masked" in BY_TIER["nan safety"]
    assert PLAIN_CLASS.key.questions["nan safety"] == question
    assert "masked" not in str(question)


def test_a_question_is_about_a_mistake_named_and_asked_once() -> None:
    failed = [tier(name, Verdict.FAIL, Verdict.FAIL, Verdict.FAIL) for name in ("shapes", "gradients", "parity")]
    questions = questions_of(
        PLAIN_CLASS, {"c1": (NO_SCALE, BY_VIEW), "c2": (BY_VIEW,), "elsewhere": (BY_VIEW,)}, *failed
    )
    parity = BY_TIER["parity"]
    assert [BY_STEP["scale"].question, BY_STEP["split"].question, parity] == questions


@pytest.mark.parametrize("verdicts", [(Verdict.PASS,), (Verdict.TODO, Verdict.PASS), (Verdict.SKIP,)])
def test_what_passed_or_is_not_written_raises_no_question(verdicts: tuple[Verdict, ...]) -> None:
    assert [None] == questions_of(PLAIN_CLASS, {}, tier("parity", *verdicts))


@pytest.mark.sample(1)
@pytest.mark.parametrize("audience", AUDIENCES)
@pytest.mark.usefixtures("one_sandbox")
def test_an_interviewer_alone_reads_the_questions(
    audience: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    written = tmp_path / "report.json"
    main(["grade", SUBMISSION, "--kata", "plain_class", "--seed", "7", "--for", audience, "--json", str(written)])
    questions = [each["question"] for each in json.loads(written.read_text())["tiers"]]
    shown = re.findall(r"^  ASK   ", capsys.readouterr().out, re.MULTILINE)
    failed = ["weight sums", "nan safety", "gradients", "parity"] if audience == INTERVIEWER else []
    assert len(failed) == len(shown) == sum(question is not None for question in questions)


@pytest.mark.parametrize("explain", [True, False])
@pytest.mark.usefixtures("one_sandbox")
def test_the_reason_is_shown_where_it_is_asked_for(explain: bool, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--for", "candidate", *(["--explain"] if explain else [])]
    main(["grade", SUBMISSION, "--kata", "plain_class", "--seed", "7", *options])
    out = capsys.readouterr().out
    assert explain is ("read: notebooks/plain_class.ipynb#Heads" in out)
    assert explain is (f"why: {BY_VIEW.why[:40]}" in out)
    assert "likely mistake: " in out
