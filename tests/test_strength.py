"""The record of `make strength` is of today's programs and has nothing open; a sample of it is graded anew."""

import random
import warnings
from dataclasses import replace
from typing import Any

import pytest

from grader.judge import SILENT
from grader.records import Outcome, Report, Verdict
from tests.equivalent import EQUIVALENT
from tests.grading import BY_NAME, ROOT, graded, solution
from tests.mutants import mutants, normal
from tests.strength import missed, stale
from tests.strength_cases import PARTS, Case, cases, said
from tests.strength_record import grader_digest, recorded, short_line, strength_rows

RECORD = recorded()
EACH_KATA = pytest.mark.parametrize("kata", BY_NAME)
EACH_PART = pytest.mark.parametrize("part", PARTS)
SAMPLE = {"mistakes": 1, "styles": 1, "wrong": 1, "mutants": 5}
"""Other tests grade the first three parts as a whole."""


def test_the_record_is_of_the_programs_that_are_here() -> None:
    assert [] == stale(RECORD), "tests/strength.json is of other programs: run make strength, then make readme"


def test_the_record_says_with_which_checks_it_was_made() -> None:
    """Checks change often and a full run takes minutes: a record of other checks is told, and no failure."""
    if RECORD["grader"] != grader_digest():
        told = "tests/strength.json was made with other checks: run make strength before a release"
        warnings.warn(told, stacklevel=1)


@EACH_PART
@EACH_KATA
def test_nothing_recorded_is_open(kata: str, part: str) -> None:
    assert {} == RECORD["katas"][kata][part]["missed"]


@EACH_PART
@EACH_KATA
def test_a_sample_graded_anew_is_as_recorded(kata: str, part: str) -> None:
    """Another sample after each change of the checks."""
    chosen = random.Random(f"{grader_digest()} {kata} {part}")
    here = cases(kata, part)
    sample = chosen.sample(here, min(SAMPLE[part], len(here)))
    known = RECORD["katas"][kata][part]["missed"]
    of_sample = {word: [case.name for case in sample if case.name in names] for word, names in known.items()}
    assert {word: names for word, names in of_sample.items() if names} == missed(kata, tuple(sample))


def test_every_record_of_an_equivalent_mutant_fits_one() -> None:
    made = {(kata, mutant.change) for kata in BY_NAME for mutant in mutants(kata)}
    gone = [f"{kata}: {change.before} -> {change.after}" for kata, change in EQUIVALENT if (kata, change) not in made]
    assert [] == gone, "tests/equivalent.py records what is no mutant: correct it, or take it out"


def test_what_is_wanted_and_cannot_be_said_is_missed() -> None:
    kata = "scaled_dot_product"
    right = solution(kata)
    others = ("0 * v", "attention @ v", "v.view(7)", "attention_weights @ v.roll(2, dims=-2)")
    zeros, lacking, raising, rolled = (right.replace("attention_weights @ v", other) for other in others)
    programs = (
        Case("a survivor", right, frozenset({"killed"})),
        Case("a wrong one accepted", right, frozenset({"rejected"})),
        Case("a wrong one at another tier", zeros, frozenset({"rejected"}), tier="padding"),
        Case("a wrong one that was never run", "q = k", frozenset({"rejected"}), tier="shapes"),
        Case("a wrong one that lacks a name", lacking, frozenset({"rejected"}), tier="shapes"),
        Case("a mistake that lacks a name", lacking, frozenset({"caught"})),
        Case("a mistake that was never run", "q = k", frozenset({"caught"})),
        Case("a mutant that lacks a name", lacking, frozenset({"killed"})),
        Case("a mutant that cannot be loaded", "q = k", frozenset({"killed"})),
        Case("a right one", right, frozenset({"accepted"})),
        Case("a right one rejected", zeros, frozenset({"accepted"})),
        Case("another tier", zeros, frozenset({"caught", "at its tier"}), tier="padding"),
        Case("one without a name", rolled, frozenset({"caught", "unnamed"})),
        Case("one that no value shows", raising, frozenset({"caught", "unnamed"})),
        Case("another name", zeros, frozenset({"caught", "named"}), sentence="the scores were lost"),
    )
    expected = {
        "killed": ["a survivor"],
        "caught": ["a mistake that lacks a name", "a mistake that was never run"],
        "rejected": [
            "a wrong one accepted",
            "a wrong one at another tier",
            "a wrong one that was never run",
            "a wrong one that lacks a name",
        ],
        "accepted": ["a right one rejected"],
        "at its tier": ["another tier"],
        "named": ["another name"],
        "unnamed": ["one that no value shows"],
    }
    assert expected == missed(kata, programs)


@pytest.mark.parametrize("outcome", [Outcome.BROKEN, Outcome.TIMEOUT])
def test_a_failure_of_the_grader_and_a_slow_machine_say_nothing(outcome: Outcome) -> None:
    """A program with which the grader fails, or that was not loaded in time, is neither rejected nor accepted."""
    report = replace(graded("scaled_dot_product", ""), outcome=outcome)
    assert frozenset() == said(Case("any", "", frozenset()), report)


def failing_with(**changes: Any) -> Report:
    """A report in which what fails does so in another way than by its values."""
    report = graded("scaled_dot_product", solution("scaled_dot_product").replace("attention_weights @ v", "0 * v"))
    changed = [[each if each.points else replace(each, **changes) for each in tier.checks] for tier in report.tiers]
    tiers = [replace(tier, checks=tuple(checks)) for tier, checks in zip(report.tiers, changed, strict=True)]
    return replace(report, tiers=tuple(tiers))


def test_a_check_that_is_broken_silent_or_out_of_time_says_nothing() -> None:
    case = Case("any", "", frozenset())
    assert "killed" in said(case, failing_with())
    for verdict in (Verdict.BROKEN, Verdict.TIMEOUT, Verdict.TODO, Verdict.SKIP):
        assert frozenset() == said(case, failing_with(verdict=verdict))
    assert frozenset() == said(case, failing_with(verdict=Verdict.ERROR, got=SILENT))


@pytest.mark.parametrize("kata", BY_NAME)
def test_a_program_that_is_changed_nowhere_is_accepted(kata: str) -> None:
    """Mutants are made in the normal form: killed by their change alone, for it scores 100 itself."""
    assert 100 == graded(kata, normal(solution(kata))).score


def test_every_wrong_program_of_the_record_stands_after_its_solution() -> None:
    for kata in BY_NAME:
        files = sorted((ROOT / "tests" / "wrong" / kata).glob("*.py"))
        expected = [f"{solution(kata)}\n{path.read_text(encoding='utf-8')}" for path in files]
        assert expected == [case.source for case in cases(kata, "wrong")]
        assert all(case.tier for case in cases(kata, "wrong"))


def test_a_row_counts_what_was_found() -> None:
    parts = {
        "mistakes": {
            "wanted": {"caught": 9, "at its tier": 7, "named": 5, "unnamed": 2},
            "missed": {"named": ["a", "b"]},
        },
        "styles": {"wanted": {"accepted": 4}, "missed": {}},
        "mutants": {"wanted": {"killed": 30, "equivalent": 3}, "missed": {"killed": ["c"]}},
    }
    rows = strength_rows({"katas": {"module": parts}})
    assert "Fewer than 90% are named in `module`.\n\n" == short_line({"katas": {"module": parts}})
    assert "" == short_line({"katas": {}})
    assert ("`module`", "9 of 9", "7 of 7", "3 of 7", "4 of 4", "-", "29 of 30", "3", "1") in rows
