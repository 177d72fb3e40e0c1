"""What the tests of kits that came back share: a kit, what is written in it, and what is said of it."""

import subprocess
import sys
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

import nbformat
import pytest

from grader.katas import KATAS
from grader.kit import build, remarks
from grader.stubs.writer import notebook
from grader.submission import SubmittedFile, read_path
from tests.grading import BY_NAME, ROOT, solution

EXERCISE, NOTEBOOK = "exercises/scaffold.py", "notebooks/scaffold.ipynb"
PRISTINE = build(BY_NAME["scaffold"], ROOT)
SOLVED = {EXERCISE: solution("scaffold").encode()}
SOLVED_NOTEBOOK = {NOTEBOOK: nbformat.writes(notebook("scaffold", ROOT, solved=True)).encode()}
NOTHING_ELSE = "nothing changed or added or missing"


def as_zip(files: Mapping[str, bytes], place: Path, below: str = "") -> Path:
    path = place / "kit.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, data in files.items():
            packed.writestr(below + name, data)
    return path


def as_folder(files: Mapping[str, bytes], place: Path, below: str = "") -> Path:
    for name, data in files.items():
        path = place / "back" / below / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return place / "back"


BOTH_WAYS = pytest.mark.parametrize("hand_in", [as_zip, as_folder])
HandIn = Callable[..., Path]


def remarks_on(file: SubmittedFile) -> tuple[str, ...]:
    assert file.kit is not None, file.problem
    return remarks(file.kit, KATAS, ROOT)


def only(path: Path) -> SubmittedFile:
    stack = read_path(path, None)
    assert not stack.is_stack
    (file,) = stack.files
    return file


def graded(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "grader", "grade", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
