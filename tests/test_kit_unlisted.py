"""A kit that comes back without a kit.json that can be read: what was written is graded, and a note says so."""

import json
from pathlib import Path

import pytest

from grader.handed import handed_in
from grader.katas import KATAS
from grader.kit import remarks
from tests.returned_kits import (
    BOTH_WAYS,
    EXERCISE,
    NOTEBOOK,
    PRISTINE,
    SOLVED,
    SOLVED_NOTEBOOK,
    HandIn,
    as_folder,
    as_zip,
    graded,
    only,
    said,
)

UNLISTED = {name: data for name, data in PRISTINE.items() if name != "kit.json"}
STUB = "pristine/scaffold.py"
MISSING = "kit.json is missing"
TOLD = "kit: which file was written is told from pristine/"
NOW = f"{TOLD}; compared with a kit made from these sources"
SCRATCH = PRISTINE[EXERCISE] + b"x = 1\n"


@BOTH_WAYS
@pytest.mark.parametrize("below", ["", "kit/", "my work/kit/"])
@pytest.mark.parametrize(
    ("written", "name"),
    [
        (SOLVED, EXERCISE),
        (SOLVED_NOTEBOOK, NOTEBOOK),
        (SOLVED_NOTEBOOK | {EXERCISE: SCRATCH}, NOTEBOOK),
        (SOLVED | {NOTEBOOK: PRISTINE[NOTEBOOK] + b"\n"}, EXERCISE),
        ({}, EXERCISE),
        ({EXERCISE: SCRATCH}, EXERCISE),
        ({"my answer.py": SOLVED[EXERCISE]}, "my answer.py"),
    ],
)
def test_what_was_written_is_graded_alone(
    hand_in: HandIn, below: str, written: dict[str, bytes], name: str, tmp_path: Path
) -> None:
    path = hand_in(UNLISTED | written, tmp_path, below)
    file = only(path)
    assert (below + name, "scaffold", None) == (file.path.relative_to(path).as_posix(), file.kata, file.problem)
    assert f"kit: {path / below}/{MISSING}" == said(file)[0]


def test_both_where_both_were_written(tmp_path: Path) -> None:
    found = handed_in(as_zip(UNLISTED | SOLVED | SOLVED_NOTEBOOK, tmp_path), None)
    assert not found.is_stack
    assert ["scaffold.py", "scaffold.ipynb"] == [file.path.name for file in found.files]


def test_beside_what_macos_adds(tmp_path: Path) -> None:
    packed = {f"kit/{name}": data for name, data in (UNLISTED | SOLVED).items()}
    path = as_zip(packed | {f"__MACOSX/{name}": b"\0\5\26\7" for name in packed}, tmp_path)
    assert path / "kit" / EXERCISE == only(path).path


def test_the_notebook_where_the_exercises_are_gone(tmp_path: Path) -> None:
    files = {name: data for name, data in (UNLISTED | SOLVED_NOTEBOOK).items() if name != EXERCISE}
    path = as_zip(files, tmp_path)
    assert path / NOTEBOOK == only(path).path


def test_in_a_stack_beside_others(tmp_path: Path) -> None:
    as_folder(UNLISTED | SOLVED, tmp_path, "anna/")
    (tmp_path / "cleo.py").write_text("x = 1\n")
    found = handed_in(tmp_path, None)
    assert found.is_stack
    names = [file.path.relative_to(tmp_path).as_posix() for file in found.files]
    assert ["back/anna/exercises/scaffold.py", "cleo.py"] == names


def test_its_files_are_compared_with_a_kit_that_is_made_now(tmp_path: Path) -> None:
    files = UNLISTED | SOLVED | {"Makefile": b"all:\n", "my notes.txt": b"x"}
    _, second, third = said(only(as_zip(files, tmp_path)))
    assert NOW == second
    assert f"kit: written: {EXERCISE}; changed: Makefile; added: my notes.txt; nothing missing" == third


def test_where_no_kit_can_be_made_nothing_is_compared(tmp_path: Path) -> None:
    file = only(as_zip(UNLISTED | SOLVED, tmp_path))
    assert file.returned is not None
    first, second = remarks(file.returned, KATAS, tmp_path)
    assert first.endswith(MISSING)
    assert TOLD == second


DAMAGED: dict[str, tuple[bytes, str]] = {
    "no JSON": (b"{", "kit.json is no manifest of a kit, or was damaged"),
    "nested too deeply": (b"[" * 100_000, "kit.json is no manifest of a kit, or was damaged"),
    "a list": (b"[]", "kit.json is no manifest of a kit, or was damaged"),
    "of another format": (b'{"format": 2}', "kit.json is of format 2, and format 1 is read here"),
    "fields of another type": (
        PRISTINE["kit.json"].replace(b'"scaffold"', b"7"),
        "kit.json is no manifest of a kit, or was damaged",
    ),
    "more than 1 MiB": (b" " * (1 << 20) + PRISTINE["kit.json"], "kit.json"),
}


@BOTH_WAYS
@pytest.mark.parametrize("situation", DAMAGED)
def test_a_manifest_that_cannot_be_read(hand_in: HandIn, situation: str, tmp_path: Path) -> None:
    data, sentence = DAMAGED[situation]
    path = hand_in(PRISTINE | SOLVED | {"kit.json": data}, tmp_path)
    file = only(path)
    assert (path / EXERCISE, None) == (file.path, file.problem)
    first, second, third = said(file)
    assert sentence in first
    assert (NOW, f"kit: written: {EXERCISE}; changed: kit.json; nothing added or missing") == (second, third)


@BOTH_WAYS
@pytest.mark.parametrize("manifest", [{}, {"kit.json": b"{"}])
@pytest.mark.parametrize("stubs", [{STUB: b""}, {STUB: b"def f(:\n"}, {"pristine/two.py": SOLVED[EXERCISE]}])
def test_where_the_pristine_stub_tells_nothing_either(
    hand_in: HandIn, manifest: dict[str, bytes], stubs: dict[str, bytes], tmp_path: Path
) -> None:
    path = hand_in(UNLISTED | SOLVED | manifest | stubs, tmp_path)
    problem = str(only(path).problem)
    assert problem.startswith(f"{path}/kit.json is ")
    assert problem.endswith(": hand in the file that was written alone.")


def test_the_report_says_so(tmp_path: Path) -> None:
    path = as_folder(UNLISTED | SOLVED, tmp_path)
    ran = graded(str(path), "--seed", "7", "--json", str(tmp_path / "r.json"))
    assert (0, "") == (ran.returncode, ran.stderr)
    assert "score 100 of 100" in ran.stdout
    report = json.loads((tmp_path / "r.json").read_text())
    written = f"kit: written: {EXERCISE}; nothing changed or added or missing"
    assert [f"kit: {path}/{MISSING}", NOW, written] == report["notes"]
