"""The record of `make strength` is of today's programs, has nothing open, and a sample of it is graded anew."""

import random
import warnings

import pytest

from tests.equivalent import EQUIVALENT
from tests.grading import BY_NAME
from tests.mutants import mutants, normal
from tests.strength import missed, stale
from tests.strength_cases import PARTS, cases
from tests.strength_record import grader_digest, recorded

RECORD = recorded()
EACH_KATA = pytest.mark.parametrize("kata", BY_NAME)
EACH_PART = pytest.mark.parametrize("part", PARTS)
SAMPLE = 3


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
    here = sorted(cases(kata, part), key=lambda case: case.name)
    sample = random.Random(f"{grader_digest()} {kata} {part}").sample(here, min(SAMPLE, len(here)))
    assert {} == missed(kata, tuple(sample))


def test_every_record_of_an_equivalent_mutant_fits_one() -> None:
    made = {(kata, mutant.change) for kata in BY_NAME for mutant in mutants(kata)}
    gone = [f"{kata}: {change.before} -> {change.after}" for kata, change in EQUIVALENT if (kata, change) not in made]
    assert [] == gone, "tests/equivalent.py records what is no mutant: correct it, or take it out"


@EACH_KATA
def test_mutants_differ_from_the_solution_and_are_told_apart(kata: str) -> None:
    changes = [mutant.change for mutant in mutants(kata)]
    assert len(changes) == len(set(changes))
    assert [] == [mutant.change for mutant in mutants(kata) if mutant.change.before == mutant.change.after]


def test_comments_and_layout_annotations_and_docstrings_make_no_other_program() -> None:
    plain = "def f(x, y=1):\n    return x + y"
    dressed = '"""Says."""\n\ndef f(x: int, y: int = 1) -> int:\n    """Adds."""\n    return (x\n        + y)  # sum'
    assert normal(plain) == normal(dressed)
