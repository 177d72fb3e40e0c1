"""ruff and the type checker run clean."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=300)


def test_ruff_finds_nothing() -> None:
    ran = run("ruff", "check", "--no-cache")
    assert 0 == ran.returncode, ran.stdout + ran.stderr


def test_types_agree() -> None:
    ran = run("pyrefly", "check", "--python-interpreter-path", sys.executable)
    assert 0 == ran.returncode, ran.stdout + ran.stderr
