"""Correct is correct: submissions in every style that meets a contract score 100, whatever the seed."""

import ast
import os
from collections import Counter
from pathlib import Path

import pytest

from grader.judge import Options
from tests.grading import BY_NAME, ROOT, graded, not_installed, summary

FOLDER = ROOT / "tests" / "correct"
SUBMISSIONS = sorted(FOLDER.glob("*/*.py"))
LEAST = 12
SEEDS = range(int(os.environ.get("KATA_SEEDS", "3")))
"""`KATA_SEEDS=20` grades each with 20 seeds instead of 3."""


def named(path: Path) -> str:
    return f"{path.parent.name}/{path.stem}"


@pytest.mark.parametrize("path", SUBMISSIONS, ids=named)
def test_a_correct_style_scores_100_with_every_seed(path: Path) -> None:
    source = path.read_text(encoding="utf-8")
    if absent := not_installed(source):
        pytest.skip(f"{', '.join(absent)} is not installed here")
    reports = [graded(path.parent.name, source, Options(seed=seed)) for seed in SEEDS]
    assert [] == [f"seed {report.seed}, {summary(report)}" for report in reports if report.score != 100]


@pytest.mark.parametrize("kata", BY_NAME)
def test_every_kata_has_at_least_12_correct_styles(kata: str) -> None:
    runs = [path for path in SUBMISSIONS if not not_installed(path.read_text(encoding="utf-8"))]
    assert LEAST <= len([path for path in runs if path.parent.name == kata])


def test_no_folder_and_no_file_is_unknown() -> None:
    """A folder is a kata, and holds submissions and nothing else: a misspelt one would never be graded."""
    assert sorted(BY_NAME) == sorted(path.name for path in FOLDER.iterdir() if path.name != "__pycache__")
    files = {path for path in FOLDER.rglob("*") if path.is_file() and "__pycache__" not in path.parts}
    assert set() == files - set(SUBMISSIONS)


def test_a_style_is_named_in_one_line() -> None:
    styles = {named(path): ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) for path in SUBMISSIONS}
    assert {} == {name: style for name, style in styles.items() if style is None or "\n" in style}


def test_no_two_submissions_share_their_code() -> None:
    """Compared as syntax trees without the docstring: another comment or layout is no style of its own."""
    trees = {named(path): ast.parse(path.read_text(encoding="utf-8")).body[1:] for path in SUBMISSIONS}
    codes = {name: ast.unparse(ast.Module(body, type_ignores=[])) for name, body in trees.items()}
    count = Counter(codes.values())
    assert [] == [name for name, code in codes.items() if count[code] > 1]
