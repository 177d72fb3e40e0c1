"""The record of `make strength` is of today's programs and has nothing open; a sample of it is graded anew."""

import random
import warnings
from collections import Counter
from dataclasses import replace

import pytest

from grader.records import Outcome
from tests.equivalent import EQUIVALENT
from tests.grading import BY_NAME, graded, solution
from tests.mutants import mutants
from tests.strength import missed, stale
from tests.strength_cases import PARTS, Case, cases, said
from tests.strength_record import grader_digest, recorded, strength_rows, sweep_line
from tests.sweep import SWEPT, met_by

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
    right, zeros = solution(kata), solution(kata).replace("return attention_weights @ v", "return 0 * v")
    programs = (
        Case("a survivor", right, frozenset({"killed"})),
        Case("a wrong one accepted", right, frozenset({"rejected"})),
        Case("a right one", right, frozenset({"accepted"})),
        Case("a right one rejected", zeros, frozenset({"accepted"})),
        Case("another tier", zeros, frozenset({"caught", "at its tier"}), tier="padding"),
        Case("another name", zeros, frozenset({"caught", "named"}), sentence="the scores were lost"),
    )
    expected = {
        "killed": ["a survivor"],
        "rejected": ["a wrong one accepted"],
        "accepted": ["a right one rejected"],
        "at its tier": ["another tier"],
        "named": ["another name"],
    }
    assert expected == missed(kata, programs)


def test_a_failure_of_the_grader_says_nothing() -> None:
    """A program with which the grader fails is neither rejected nor accepted."""
    report = replace(graded("scaled_dot_product", ""), outcome=Outcome.BROKEN)
    assert frozenset() == said(Case("any", "", frozenset()), report)


def test_a_row_counts_what_was_found() -> None:
    parts = {
        "mistakes": {"wanted": {"caught": 9, "at its tier": 7, "named": 5}, "missed": {"named": ["a", "b"]}},
        "styles": {"wanted": {"accepted": 4}, "missed": {}},
        "mutants": {"wanted": {"killed": 30, "equivalent": 3}, "missed": {"killed": ["c"]}},
    }
    rows = strength_rows({"katas": {"module": parts}})
    assert ("`module`", "9 of 9", "7 of 7", "3 of 5", "4 of 4", "-", "29 of 30", "3", "1") in rows
    sweep = {"seeds": 2, "gradings": 60, "differ": ["one"]}
    assert "60 gradings with 2 seeds: 1 verdicts differ by seed." == sweep_line({"sweep": sweep})


def test_a_sweep_meets_every_program_once_in_as_many_seeds_as_its_share() -> None:
    met = [(kata, case.name) for seed in range(5) for kata, case in met_by(seed, 5)]
    others = [(kata, case.name) for kata in BY_NAME for part in SWEPT for case in cases(kata, part)]
    assert Counter(others) + Counter([(kata, "the solution") for kata in BY_NAME] * 5) == Counter(met)
