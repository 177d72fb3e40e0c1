"""The command line on what it is given: folders, files that cannot be graded, submissions for no kata."""

import hashlib
import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from grader.core import judging, seeds
from grader.submission.reading_process import Reading, ReadingFault, ReadingProcess
from tests.fakes import FUNCTION_SOURCE, PLAIN_SOURCE, CommandResult, FakeJudge, notebook

Put = Callable[[str, str | bytes], Path]
Run = Callable[..., CommandResult]


def test_an_exercise_that_is_gone(run: Run, tmp_path: Path) -> None:
    (tmp_path / "exercises" / "plain.py").unlink()
    ran = run("grade", "--kata", "plain")
    assert (2, "", "exercises/plain.py does not exist: make stubs writes it.\n") == (
        ran.status,
        ran.out,
        ran.err,
    )


def test_an_exercise_with_a_syntax_error_is_reported_beside_the_others(run: Run, put: Put) -> None:
    put("exercises/plain.py", "def f(:\n")
    ran = run("grade")
    assert 1 == ran.status
    assert "not graded  plain       unloadable: exercises/plain.py:1: syntax error, invalid syntax: def f(:" in ran.out


def test_a_folder_is_graded_file_by_file(run: Run, put: Put, tmp_path: Path, judge: FakeJudge) -> None:
    stack = put("stack/ann.py", PLAIN_SOURCE + "# score 40").parent
    put("stack/bo.ipynb", notebook(FUNCTION_SOURCE))
    put("stack/broken.py", "def f(:")
    put("stack/other.py", "x = 1\n")
    ran = run("grade", stack, "--seed", 3, "--json", tmp_path / "r.json", "--junit", tmp_path / "r.xml")
    assert 1 == ran.status
    unwrapped = " ".join(ran.out.split())  # where a line ends depends on the length of the path
    assert "syntax error, invalid syntax: def f(:" in unwrapped
    assert "other.py could not be matched with a kata" in unwrapped
    assert "total 140 of 400, 2 not graded, seed 3\n" in ran.out
    reports = json.loads((tmp_path / "r.json").read_text())
    assert ["graded", "graded", "unloadable", "unloadable"] == [each["outcome"] for each in reports]
    assert ["plain", "function", None, None] == [each["kata"] for each in reports]
    few = {seeds.derive_seed(3, f"{which:064x}") for which in range(100)}
    assert 3 == len(few)
    assert few >= {options.seed for options in judge.seen}


@pytest.mark.parametrize("source", ["{} = 1\n", "[" * 300 + "  # {}\n", "# coding: {}\n"])
def test_a_name_of_a_megabyte_buries_no_other_report(run: Run, put: Put, source: str) -> None:
    put("stack/bo.py", source.format("x" * 900_000))
    lines = run("grade", put("stack/ann.py", PLAIN_SOURCE + "# score 40").parent).out.splitlines()
    overview = next(number for number, line in enumerate(lines) if line.startswith("   40 of 100  "))
    assert (True, True) == (len(lines) < 200, len(lines) - overview < 20)


def test_a_fault_of_the_grader_costs_one_file_of_a_folder(run: Run, put: Put, monkeypatch: pytest.MonkeyPatch) -> None:
    decode = ReadingProcess.decode

    def fails_on_one(process: ReadingProcess, path: Path, *rest: Any) -> Reading:
        if path.stem == "bo":
            return Reading(failure=ReadingFault("KeyError: a fault of the reader\x1b[2J"))
        return decode(process, path, *rest)

    monkeypatch.setattr(ReadingProcess, "decode", fails_on_one)
    stack = put("stack/ann.py", PLAIN_SOURCE + "# raise").parent
    put("stack/bo.py", PLAIN_SOURCE)
    put("stack/eve.py", PLAIN_SOURCE + "# score 40")
    ran = run("grade", stack)
    assert 3 == ran.status
    assert ["ann.py", "bo.py", "eve.py"] == re.findall(r"(\w+\.py)   seed", ran.out)
    for reason in ("ZeroDivisionError: a fault of the grader", "KeyError: a fault of the reader"):
        assert reason in ran.out
    assert 2 == ran.out.count("  The grader failed, not your submission.\n  Traceback (most recent call last):\n")
    assert "\x1b" not in ran.out  # which may quote a submission
    assert "score 40 of 100" in ran.out


def test_of_an_interrupted_folder_what_was_graded_is_shown_and_written(run: Run, put: Put, tmp_path: Path) -> None:
    stack = put("stack/ann.py", PLAIN_SOURCE + "# score 40").parent
    for name in ("bo", "cy"):
        put(f"stack/{name}.py", PLAIN_SOURCE + "# ctrl-c")
    ran = run("grade", stack, "--seed", 3, "--json", tmp_path / "r.json", "--junit", tmp_path / "r.xml")
    assert (130, "") == (ran.status, ran.err)
    assert ["ann.py"] == re.findall(r"(\w+\.py)   seed", ran.out)
    left = f"interrupted: 2 of 3 were not graded, from {stack}/bo.py on"
    assert f"total 40 of 100, seed 3 {left}\n" == " ".join(ran.out.split("\n\n")[-1].split()) + "\n"
    assert ["ann.py"] == [Path(each["submission"]).name for each in json.loads((tmp_path / "r.json").read_text())]
    assert "ann.py" in (tmp_path / "r.xml").read_text()


def test_a_folder_that_was_interrupted_at_once_says_nothing(run: Run, put: Put, tmp_path: Path) -> None:
    stack = put("stack/ann.py", PLAIN_SOURCE + "# ctrl-c").parent
    put("stack/bo.py", PLAIN_SOURCE)
    assert (130, "", "") == run("grade", stack, "--json", tmp_path / "r.json")
    assert not (tmp_path / "r.json").exists()


def test_of_interrupted_exercises_the_table_is_shown(run: Run, put: Put) -> None:
    put("exercises/plain.py", PLAIN_SOURCE + "# ctrl-c")
    ran = run("grade", "--seed", 3)
    assert 130 == ran.status
    assert ran.out == (
        "    0 of 100  function  not written yet\n\ntotal 0 of 100, seed 3\n"
        "interrupted: 2 of 3 were not graded, from exercises/plain.py on\n"
    )


def test_a_folder_in_which_nothing_can_be_graded(run: Run, put: Put) -> None:
    assert 2 == run("grade", put("stack/a.py", "def f(:").parent).status


def test_a_folder_without_submissions(run: Run, tmp_path: Path) -> None:
    (tmp_path / "none").mkdir()
    ran = run("grade", "none")
    assert (2, "", "none holds no submission: put .py or .ipynb files into it.\n") == (
        ran.status,
        ran.out,
        ran.err,
    )


@pytest.mark.parametrize("path", ["", " "])
def test_an_empty_path(run: Run, put: Put, path: str) -> None:
    """Python reads it as the current folder."""
    put("here.py", PLAIN_SOURCE)
    ran = run("grade", path)
    assert (2, "") == (ran.status, ran.out)
    assert "argument submission: the path is empty: name a file or a folder, or leave it out for exercises/" in ran.err


def test_no_such_file(run: Run, put: Put) -> None:
    near = put("mine.py", "x = 1")
    ran = run("grade", near.with_name("mime.py"))
    expected = f"{near.with_name('mime.py')} does not exist: did you mean {near}?\n"
    assert (2, "", expected) == (ran.status, ran.out, ran.err)


def test_a_file_that_cannot_be_read_gets_a_report(run: Run, put: Put, tmp_path: Path) -> None:
    path = put("plain.py", "def f(:\n")
    ran = run("grade", path, "--json", tmp_path / "r.json")
    assert 2 == ran.status
    assert f"UNLOADABLE {path}:1: syntax error" in " ".join(ran.out.split())
    report = json.loads((tmp_path / "r.json").read_text())
    assert ("unloadable", hashlib.sha256(b"def f(:\n").hexdigest()) == (report["outcome"], report["sha256"])


def test_bad_input_is_answered_without_waiting_for_pytorch(run: Run, put: Put, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judging, "load_judge", lambda: pytest.fail("the judge was loaded"))
    assert 2 == run("grade", put("plain.py", "")).status


def test_a_submission_that_the_judge_cannot_load(run: Run, put: Put) -> None:
    ran = run("grade", put("plain.py", "# unloadable"))
    assert (2, True) == (ran.status, "UNLOADABLE  attend is missing" in ran.out)


def test_a_submission_for_no_kata_says_how_to_name_it(run: Run, put: Put) -> None:
    path = put("a.py", "x = 1\n")
    ran = run("grade", path)
    assert 2 == ran.status
    assert "Say which it is for: KATA=NAME." in " ".join(ran.out.split())
    assert ran.out.endswith(f"not graded\nrun next: make grade KATA=NAME SUBMISSION={path}\n")


def test_the_kata_that_is_named_wins(run: Run, put: Put) -> None:
    path = put("plain.ipynb", notebook(PLAIN_SOURCE, kata="plain"))
    ran = run("grade", path, "--kata", "function", "--seed", 1)
    assert ran.out.startswith("function   ")


def test_a_name_that_is_too_long_for_any_file(run: Run) -> None:
    name = "a" * 300 + ".py"
    ran = run("grade", name)
    expected = f"{name} cannot be read (File name too long): check the path and its permissions.\n"
    assert (2, "", expected) == (ran.status, ran.out, ran.err)


def refuse(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """A function of `os` finds no permission, which root always has."""

    def refused(*arguments: object, **options: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, name, refused)


def test_a_path_behind_a_folder_that_may_not_be_entered(run: Run, put: Put, monkeypatch: pytest.MonkeyPatch) -> None:
    path = put("closed/mine.py", PLAIN_SOURCE)
    refuse(monkeypatch, "stat")
    ran = run("grade", path)
    expected = f"{path} cannot be read (Permission denied): check the path and its permissions.\n"
    assert (2, "", expected) == (ran.status, ran.out, ran.err)


def test_a_missing_file_in_a_folder_that_may_not_be_listed(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "gone2.py").touch()
    refuse(monkeypatch, "listdir")
    refuse(monkeypatch, "scandir")  # Python 3.13 lists by it
    ran = run("grade", tmp_path / "gone.py")
    assert (2, f"{tmp_path / 'gone.py'} does not exist: check the path.\n") == (ran.status, ran.err)


def test_a_folder_that_may_not_be_listed(run: Run, put: Put, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = put("closed/mine.py", PLAIN_SOURCE).parent
    refuse(monkeypatch, "scandir")
    ran = run("grade", folder)
    expected = f"{folder} cannot be read (Permission denied): check the path and its permissions.\n"
    assert (2, "", expected) == (ran.status, ran.out, ran.err)


def test_a_folder_in_a_stack_that_may_not_be_listed_is_named(
    run: Run, put: Put, monkeypatch: pytest.MonkeyPatch
) -> None:
    stack = put("stack/alice.py", PLAIN_SOURCE).parent
    put("stack/bob/mine.py", PLAIN_SOURCE)
    scandir = os.scandir

    def refused(path: Path) -> Any:
        if path.name == "bob":
            raise PermissionError(13, "Permission denied")
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refused)
    assert "\nnot read: bob;" in run("grade", stack).out


def test_a_folder_in_a_stack_that_may_be_listed_and_not_entered(
    run: Run, put: Put, monkeypatch: pytest.MonkeyPatch
) -> None:
    stack = put("stack/alice.py", PLAIN_SOURCE).parent
    path, look = put("stack/bob/mine.py", PLAIN_SOURCE), os.stat

    def refused(looked_at: object, **options: Any) -> Any:
        if looked_at == path:
            raise PermissionError(13, "Permission denied")
        return look(looked_at, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(os, "stat", refused)
    ran = run("grade", stack)
    assert 1 == ran.status
    said = " ".join(ran.out.split())
    assert f"{path} cannot be read (Permission denied): check the path and its permissions." in said
