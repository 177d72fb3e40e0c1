"""Untidy is still correct: every one of these submissions scores 100, and what raised beside the answer is noted."""

from collections.abc import Callable
from pathlib import Path

import pytest

from grader.judge import Options
from grader.records import Outcome
from grader.submission import identify
from tests.grading import BY_NAME, graded, read, summary
from tests.untidy.bindings import BINDINGS
from tests.untidy.case import DEMO, Case
from tests.untidy.debugging import DEBUGGING
from tests.untidy.files import FILES
from tests.untidy.formats import FORMATS
from tests.untidy.holders import HOLDERS
from tests.untidy.layers import LAYERS
from tests.untidy.notebooks import NOTEBOOKS
from tests.untidy.programs import PROGRAMS
from tests.untidy.returned import RETURNED
from tests.untidy.state import STATE
from tests.untidy.styles import STYLES

FAMILIES = {
    "files": FILES,
    "styles": STYLES,
    "bindings": BINDINGS,
    "debugging": DEBUGGING,
    "state": STATE,
    "notebooks": NOTEBOOKS,
    "returned": RETURNED,
    "formats": FORMATS,
    "programs": PROGRAMS,
    "holders": HOLDERS,
    "layers": LAYERS,
}
CASES = [case for family in FAMILIES.values() for case in family]
FAMILY = {case.name: name for name, family in FAMILIES.items() for case in family}
CONTRACTS = [kata.contract for kata in BY_NAME.values()]


@pytest.mark.sample(1, by=lambda of: FAMILY[of["case"].name])
@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_untidy_but_correct(case: Case, put: Callable[[str, str | bytes], Path]) -> None:
    submission = read(put(case.file, case.content()))
    if case.is_identified:
        assert case.kata == identify(submission, CONTRACTS)
    report = graded(case.kata, submission, Options(seed=3))
    assert Outcome.GRADED == report.outcome, report.message
    assert 100 == report.score, summary(report)
    if case.notes is not None:
        assert len(case.notes) == len(report.notes), report.notes
        for begins, note in zip(case.notes, report.notes, strict=True):
            assert note.startswith(begins), note


def test_there_are_enough_untidy_submissions() -> None:
    assert len(CASES) >= 40


def test_every_kata_has_untidy_submissions_and_no_name_is_used_twice() -> None:
    names = [case.name for case in CASES]
    assert sorted(set(names)) == sorted(names)
    assert all(4 <= [case.kata for case in CASES].count(kata) for kata in DEMO)
