"""Files are read in a process of their own: what is made to be slow, huge or deep is refused, and the next is read."""

import os
import signal
from pathlib import Path

import pytest

from grader.submission import read_path
from grader.submission.paths import SUFFIXES
from grader.submission.reading_process import ReadingProcess
from tests.fakes import notebook
from tests.grading import read, solution

TOO_MUCH = "to read, or nests too deeply: keep what the kata needs only."
BAD = {
    "brackets": "x = " + "(" * 50_000 + ")" * 50_000,
    "signs": "x = " + "-" * 300_000 + "1",
    "a dotted name": "import b, a" + ".a" * 50_000,
}


def test_what_is_read_there_is_what_is_read_here(tmp_path: Path) -> None:
    for name, text in (("a.py", solution("scaffold")), ("b.ipynb", notebook("%time x = 1", "y = 2", kata="module"))):
        (tmp_path / name).write_text(text)
        [file] = read_path(tmp_path / name, None).files
        assert (read(tmp_path / name), None, None) == (file.submission, file.problem, file.failure)


@pytest.mark.slow
@pytest.mark.parametrize("what", BAD)
def test_a_source_that_no_parser_survives_stops_no_other(tmp_path: Path, what: str) -> None:
    (tmp_path / "a.py").write_text(BAD[what])
    (tmp_path / "b.py").write_text("x = 1\n")
    first, second = read_path(tmp_path, None).files
    assert (None, None) == (first.submission, first.failure)
    assert str(first.path) in str(first.problem)
    assert second.submission is not None


@pytest.mark.slow
def test_a_notebook_nested_too_deeply_or_with_too_many_objects(tmp_path: Path) -> None:
    for name, text in (("a.ipynb", "[" * 200_000), ("b.ipynb", '{"cells": [' + "{}," * 16_000_000 + "{}]}")):
        (tmp_path / name).write_text(text)
    for file in read_path(tmp_path, None).files:
        assert str(file.problem) == f"{file.path} takes more than 10 s or 1024 MiB {TOO_MUCH}"


def test_a_process_that_ended_is_a_fault_of_the_grader(tmp_path: Path) -> None:
    with ReadingProcess() as process:
        assert process.decode(tmp_path / "a.py", b"x = 1", SUFFIXES).submission
        os.kill(process._process.pid, signal.SIGKILL)
        process._process.wait()
        reading = process.decode(tmp_path / "b.py", b"x = 1", SUFFIXES)
    assert (None, None) == (reading.submission, reading.problem)
    assert reading.failure is not None


def test_it_does_not_import_torch() -> None:
    with ReadingProcess() as process:
        assert process.decode(Path("a.ipynb"), notebook("%pwd", "x = 1").encode(), SUFFIXES).submission
        assert "torch" not in Path(f"/proc/{process._process.pid}/maps").read_text()
