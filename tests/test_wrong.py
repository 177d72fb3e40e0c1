"""Wrong programs, written before the checks were read: none scores 100, and the tier that catches it is told.

A file of tests/wrong/KATA/ stands after the kata's solution, whose names it may use: it defines the whole again, or
derives from it, and breaks the contract for some input that a user could give. Its docstring says what is wrong.
"""

import pytest

from tests.grading import BY_NAME, graded, summary
from tests.wrong_programs import FOLDER, WrongProgram, wrong_programs

PROGRAMS = wrong_programs()
LEAST = 20


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_a_wrong_program_fails_at_its_tier(program: WrongProgram) -> None:
    report = graded(program.kata, program.source)
    failed = [tier.name for tier in report.tiers if not tier.passed]
    assert 100 > report.score
    assert "graded" == report.outcome, summary(report)
    assert program.tier == failed[0], summary(report)


@pytest.mark.parametrize("kata", BY_NAME)
def test_every_kata_has_wrong_programs(kata: str) -> None:
    assert LEAST <= len([program for program in PROGRAMS if program.kata == kata])


def test_no_folder_and_no_file_is_unknown() -> None:
    """A folder is a kata, and holds programs and nothing else: a misspelt one would never be graded."""
    assert sorted(BY_NAME) == sorted(path.name for path in FOLDER.iterdir() if path.name != "__pycache__")
    files = {path for path in FOLDER.rglob("*") if path.is_file() and "__pycache__" not in path.parts}
    assert set() == files - {program.path for program in PROGRAMS}


def test_what_is_wrong_is_told_in_one_line() -> None:
    assert {} == {each.name: each.fault for each in PROGRAMS if each.fault is None or "\n" in each.fault}
