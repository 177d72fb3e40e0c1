"""What `make check` finds in a repository that is not whole."""

import shutil
from pathlib import Path

import pytest

from tests.check import no_file_of_the_grader_is_unused
from tests.grading import ROOT

STRAY_OF_A_KATA = "katas/write_memory_benchmark/hidden/older.py"


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    for name in ("grader", "solutions", "tests"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


@pytest.mark.slow
def test_every_file_of_the_grader_is_used(clone: Path) -> None:
    assert [] == list(no_file_of_the_grader_is_unused(clone))


@pytest.mark.slow
@pytest.mark.sample(2)
@pytest.mark.parametrize(
    "stray", ["judge/older.py", "formats/schema.json.bak", "notes.txt", "kit/.directory", STRAY_OF_A_KATA]
)
def test_a_stray_file_is_found(clone: Path, stray: str) -> None:
    (clone / "grader" / stray).write_text("import math\n")
    expected = [f"grader/{stray} is used by no other file: remove it"]
    assert expected == list(no_file_of_the_grader_is_unused(clone))


@pytest.mark.slow
def test_a_module_that_nothing_imports_any_more_is_found(clone: Path) -> None:
    file = clone / "grader" / "judge" / "engine.py"
    file.write_text(file.read_text().replace("from grader.judge.liveness import Liveness\n", ""))
    expected = ["grader/judge/liveness.py is used by no other file: remove it"]
    assert expected == list(no_file_of_the_grader_is_unused(clone))


@pytest.mark.slow
def test_a_shared_text_that_no_solution_names_is_found(clone: Path) -> None:
    (clone / "grader" / "stubs" / "shared" / "rope.md").write_text("Rotations.\n")
    expected = ["grader/stubs/shared/rope.md is in no solution: remove it, or write {rope} in one"]
    assert expected == list(no_file_of_the_grader_is_unused(clone))
