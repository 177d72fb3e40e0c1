"""A kata is begun as a copy of another one that passes `make check`, and nothing that is there is overwritten."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.begin import begin
from tests.grading import ROOT

COPIED = ("grader", "solutions", "exercises", "notebooks", "tests", "docs", "pyproject.toml", "README.md")


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    for name in (*COPIED, "CONTRIBUTING.md", "requirements.txt", "Makefile", "LICENSE"):
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__", "*.bak"))
        else:
            shutil.copy(source, tmp_path / name)
    return tmp_path


@pytest.mark.parametrize("like", ["fused_qkv", "write_fp16_stability_test"])
def test_a_new_kata_is_loaded_and_complete(like: str, clone: Path) -> None:
    written = begin("blocked_attention", like, clone)
    assert clone / "exercises" / "blocked_attention.py" in written
    program = (
        "from tests.check import no_file_is_missing_or_unknown, points_add_up, stubs_are_fresh\n"
        "from grader.katas import KATAS\n"
        "(kata,) = [each for each in KATAS if each.name == 'blocked_attention']\n"
        "assert type(kata).__name__ == 'BlockedAttention', KATAS\n"
        "print([*no_file_is_missing_or_unknown(), *points_add_up(), *stubs_are_fresh()], kata.name)\n"
    )
    ran = subprocess.run([sys.executable, "-c", program], cwd=clone, capture_output=True, text=True, check=False)
    assert ran.stdout == "[] blocked_attention\n", ran.stderr


@pytest.mark.parametrize(
    ("name", "like", "said"),
    [
        ("Blocked", "module", "is no name of a kata"),
        ("module", "scaffold", "is there already"),
        ("rope", "modul", 'There is no kata "modul" to begin with'),
    ],
)
def test_a_name_that_cannot_be_used_is_refused(name: str, like: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        begin(name, like)
