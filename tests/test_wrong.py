"""Wrong programs, written before the checks were read: none scores 100, and the tier that catches it is told.

A file of tests/wrong/KATA/ stands after the kata's solution, whose names it may use: it defines the whole again, or
derives from it, and breaks the contract for some input that a user could give. Its docstring says what is wrong.
"""

import ast
from pathlib import Path

import pytest

from tests.grading import BY_NAME, ROOT, graded, solution, summary

FOLDER = ROOT / "tests" / "wrong"
PROGRAMS = sorted(FOLDER.glob("*/*.py"))
LEAST = 20


def named(path: Path) -> str:
    return f"{path.parent.name}/{path.stem}"


def declared_tier(source: str) -> str:
    """`TIER` of a file: the first that fails."""
    statements = [statement for statement in ast.parse(source).body if isinstance(statement, ast.Assign)]
    values = {ast.unparse(statement.targets[0]): statement.value for statement in statements}
    return str(ast.literal_eval(values["TIER"]))


@pytest.mark.parametrize("path", PROGRAMS, ids=named)
def test_a_wrong_program_fails_at_its_tier(path: Path) -> None:
    source = path.read_text(encoding="utf-8")
    report = graded(path.parent.name, f"{solution(path.parent.name)}\n{source}")
    failed = [tier.name for tier in report.tiers if not tier.passed]
    assert 100 > report.score
    assert "graded" == report.outcome, summary(report)
    assert declared_tier(source) == failed[0], summary(report)


@pytest.mark.parametrize("kata", BY_NAME)
def test_every_kata_has_wrong_programs(kata: str) -> None:
    assert LEAST <= len([path for path in PROGRAMS if path.parent.name == kata])


def test_no_folder_and_no_file_is_unknown() -> None:
    """A folder is a kata, and holds programs and nothing else: a misspelt one would never be graded."""
    assert sorted(BY_NAME) == sorted(path.name for path in FOLDER.iterdir() if path.name != "__pycache__")
    files = {path for path in FOLDER.rglob("*") if path.is_file() and "__pycache__" not in path.parts}
    assert set() == files - set(PROGRAMS)


def test_what_is_wrong_is_told_in_one_line() -> None:
    told = {named(path): ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) for path in PROGRAMS}
    assert {} == {name: line for name, line in told.items() if line is None or "\n" in line}
