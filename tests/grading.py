"""What the tests of checks and judge share: one sandbox for all of them, grading of a source, edits of a solution."""

import atexit
import hashlib
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from grader.checks.attention_kata import AttentionKata
from grader.judge import NOT_DIAGNOSED, Options, report_of
from grader.katas import KATAS
from grader.oracle.mistake import Mistake
from grader.oracle.pipeline import Steps
from grader.records import Cell, CheckResult, Outcome, Report, Submission, Verdict, without_calls
from grader.sandbox import Sandbox
from grader.submission.decode import decode
from grader.submission.definitions import definitions
from grader.submission.imports import imports
from grader.submission.paths import SUFFIXES, read_bytes
from grader.submission.suspects import suspects

ROOT = Path(__file__).resolve().parent.parent
BY_NAME = {kata.name: kata for kata in KATAS}
ATTENTION = {name: kata for name, kata in BY_NAME.items() if isinstance(kata, AttentionKata)}
"""The katas in which attention is written."""


@cache
def sandbox() -> Sandbox:
    """The one that all tests share; it ends with the test run."""
    started = Sandbox()
    atexit.register(started.close)
    return started


def catalogue(kata: str) -> dict[str, Mistake]:
    """The kata's mistakes by name."""
    return {mistake.name: mistake for mistake in BY_NAME[kata].key.mistakes}


def names_in(kata: str, sentences: Iterable[str]) -> list[str]:
    """The names of the mistakes that a check tells; `a constant` where its sentence was made for the submission."""
    by_sentence = {mistake.sentence: name for name, mistake in catalogue(kata).items()}
    return [by_sentence.get(without_calls(sentence), "a constant") for sentence in sentences]


def oracle(kata: str) -> Steps:
    """The kata's right way."""
    return BY_NAME[kata].key.oracle


def solution(kata: str) -> str:
    """The source of our solution."""
    return (ROOT / "solutions" / f"{kata}.py").read_text(encoding="utf-8")


def submission(source: str) -> Submission:
    """A source as if it had been read from candidate.py."""
    path, cells, digest = Path("candidate.py"), (Cell(source),), hashlib.sha256(source.encode()).hexdigest()
    named = suspects(cells, path.name)
    details = {"imports": imports(cells), "worth_reading": named, "definitions": definitions(cells)}
    return Submission(path, digest, cells, is_notebook=False, **details)


def read(path: Path, limits: Mapping[str, int] = SUFFIXES) -> Submission:
    """What a file holds, decoded in this process."""
    return decode(path, read_bytes(path, limits), limits)


def not_installed(source: str) -> list[str]:
    """What a submission imports and is not there: einops, for one."""
    tops = {name.partition(":")[0].partition(".")[0] for name in imports((Cell(source),))}
    return sorted(top for top in tops if find_spec(top) is None)


def graded(
    kata: str, handed_in: str | Submission, options: Options | None = None, box: Sandbox | None = None
) -> Report:
    """The report on a source, or on what was read from a file."""
    if isinstance(handed_in, str):
        handed_in = submission(handed_in)
    report = report_of(handed_in, BY_NAME[kata], options or Options(seed=1), box or sandbox())
    assert not any(note.startswith(NOT_DIAGNOSED) for note in report.notes), report.notes
    return report


def results(report: Report) -> list[CheckResult]:
    """All checks' results in the order of the report."""
    return [check for tier in report.tiers for check in tier.checks]


def result(report: Report, name: str) -> CheckResult:
    """The result of the check of that name."""
    return next(check for check in results(report) if check.name == name)


def first_failure(report: Report) -> CheckResult:
    """The first check that does not pass; the judge itself went through them all."""
    assert Outcome.GRADED == report.outcome, summary(report)
    assert Verdict.BROKEN not in {check.verdict for check in results(report)}, summary(report)
    assert "Traceback" not in summary(report)
    return next(check for check in results(report) if check.verdict is not Verdict.PASS)


def first_tier_that_fails(report: Report) -> str | None:
    """Its name; None where all tiers pass."""
    return next((tier.name for tier in report.tiers if not tier.passed), None)


def points_of_attention(report: Report, *, with_parts: bool = False) -> int:
    """What was earned in the tiers that ask for an answer that depends on its inputs.

    Args:
        report: on any submission.
        with_parts: also where a part may be right before there is an answer.
    """
    tiers = BY_NAME[report.kata].tiers
    names = {tier.name for tier in tiers if tier.needs_liveness and (with_parts or not tier.is_of_parts)}
    return sum(tier.points for tier in report.tiers if tier.name in names)


def summary(report: Report) -> str:
    """The report in a few lines, for the message of a test that fails."""
    lines = [f"{report.kata}: {report.score} points, {report.outcome}, {report.message}"]
    for tier in report.tiers:
        lines += [
            f"  {tier.name}: {check.name} {check.verdict}: {check.what} / {check.expected} / {check.got}"
            f" / {'; and '.join(check.mistakes)} / {check.where}"
            for check in tier.checks
            if check.verdict != "pass"
        ]
    return "\n".join(lines)
