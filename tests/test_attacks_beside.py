"""What lies beside a submission is not run, also where the grader is started in that folder.

tests/test_attacks.py grades the same files by a grader that was started before they were laid there.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.attack_files import HANDED_IN, control, module
from tests.grading import ROOT

BESIDE = [name for name in HANDED_IN if name.endswith("_beside")]


def laid(name: str, folder: Path) -> tuple[Path, int]:
    """The submission with what lies beside it, and what it is worth."""
    return module(name).make(folder, control(name).source), control(name).honest


def run(folder: Path, path: Path, *arguments: str) -> str:
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(path)}
    command = [sys.executable, *arguments]
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=120, check=False
    ).stdout


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", BESIDE)
def test_a_grader_started_beside_it_does_not_run_it(tmp_path: Path, name: str) -> None:
    path, worth = laid(name, tmp_path)
    told = run(tmp_path, ROOT, "-P", "-m", "grader", "grade", path.name, "--kata", "scaled_dot_product", "--seed", "1")
    assert f"\nscore {worth} of 100" in told
    assert not (tmp_path / "ran").exists()
