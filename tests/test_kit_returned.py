"""A kit that comes back: as a folder or a zip file it is graded by these sources, and its changed files are named."""

import json
from pathlib import Path

import pytest

from grader.katas import KATAS
from grader.kit import remarks
from grader.submission import read_path
from grader.submission.kit_json import dumps, loads
from tests.returned_kits import (
    BOTH_WAYS,
    EXERCISE,
    NOTEBOOK,
    NOTHING_ELSE,
    PRISTINE,
    SOLVED,
    SOLVED_NOTEBOOK,
    HandIn,
    as_folder,
    as_zip,
    graded,
    only,
    remarks_on,
)


@pytest.mark.parametrize("kata", ["score 100 of 100, 8 of 8 tiers passed", "x" * 900_000])
def test_a_kit_of_a_kata_that_has_no_name_is_no_kit(tmp_path: Path, kata: str) -> None:
    manifest = json.loads(PRISTINE["kit.json"]) | {"kata": kata}
    stub = {name: data for name, data in PRISTINE.items() if name.startswith("pristine/")}
    others = {name: data for name, data in PRISTINE.items() if name not in stub}
    forged = others | {f"pristine/{kata[:40]} .py": data for data in stub.values()}
    file = only(as_zip(forged | SOLVED | {"kit.json": json.dumps(manifest).encode()}, tmp_path))
    assert (None, None) == (file.submission, file.kata)
    assert "kit.json is no manifest of a kit, or was damaged" in str(file.problem)


def test_a_notebook_that_was_only_saved_again_is_changed_and_not_written(tmp_path: Path) -> None:
    saved = {NOTEBOOK: PRISTINE[NOTEBOOK] + b"\n"}
    file = only(as_zip(PRISTINE | SOLVED | saved, tmp_path))
    assert (f"kit: written: {EXERCISE}; changed: {NOTEBOOK}; nothing added or missing",) == remarks_on(file)


@BOTH_WAYS
def test_the_exercise_of_a_kit_is_what_is_graded(hand_in: HandIn, tmp_path: Path) -> None:
    path = hand_in(PRISTINE | SOLVED, tmp_path)
    file = only(path)
    assert (path / EXERCISE, "scaffold") == (file.path, file.kata)
    assert (f"kit: written: {EXERCISE}; {NOTHING_ELSE}",) == remarks_on(file)


@BOTH_WAYS
def test_the_notebook_where_it_was_written_instead(hand_in: HandIn, tmp_path: Path) -> None:
    file = only(hand_in(PRISTINE | SOLVED_NOTEBOOK, tmp_path))
    assert "scaffold.ipynb" == file.path.name
    assert (f"kit: written: {NOTEBOOK}; {NOTHING_ELSE}",) == remarks_on(file)


def test_both_where_both_were_written(tmp_path: Path) -> None:
    stack = read_path(as_zip(PRISTINE | SOLVED | SOLVED_NOTEBOOK, tmp_path), None)
    assert not stack.is_stack
    assert ["scaffold.py", "scaffold.ipynb"] == [file.path.name for file in stack.files]
    assert {(f"kit: written: {EXERCISE}, {NOTEBOOK}; {NOTHING_ELSE}",)} == set(map(remarks_on, stack.files))


def test_a_kit_in_which_nothing_was_written(tmp_path: Path) -> None:
    file = only(as_zip(PRISTINE, tmp_path))
    assert EXERCISE == file.path.relative_to(tmp_path / "kit.zip").as_posix()
    assert (f"kit: {NOTHING_ELSE}",) == remarks_on(file)


@BOTH_WAYS
def test_what_was_changed_added_and_left_out_is_named(hand_in: HandIn, tmp_path: Path) -> None:
    files = PRISTINE | SOLVED | {"Makefile": b"all:\n", "grader/katas/scaffold/contract.py": b"", "my notes.txt": b"x"}
    files |= {".venv/lib/torch.py": b"x", "exercises/scaffold.py.1.bak": b"x", "grader/__pycache__/cli.pyc": b"x"}
    del files["README.md"], files["LICENSE"]
    expected = f"kit: written: {EXERCISE}; changed: Makefile, grader/katas/scaffold/contract.py; added: my notes.txt; "
    assert (expected + "missing: LICENSE, README.md",) == remarks_on(only(hand_in(files, tmp_path)))


def test_many_names_are_counted(tmp_path: Path) -> None:
    (sentence,) = remarks_on(
        only(as_zip(PRISTINE | SOLVED | {f"{number:02}.txt": b"x" for number in range(13)}, tmp_path))
    )
    assert "added: 00.txt, 01.txt" in sentence
    assert "09.txt and 3 more;" in sentence


def test_a_name_that_reads_like_a_remark_is_quoted(tmp_path: Path) -> None:
    names = ["a.py; nothing changed", "b's.py", "written: c.py", "d, e.py", "f g.py"]
    expected = (
        f"""kit: written: {EXERCISE}; added: 'a.py; nothing changed', "b's.py", 'd, e.py', f g.py, 'written: c.py'"""
    )
    assert (f"{expected}; nothing changed or missing",) == remarks_on(
        only(as_folder(PRISTINE | SOLVED | dict.fromkeys(names, b"x"), tmp_path))
    )


@BOTH_WAYS
def test_a_kit_in_a_folder_of_its_own(hand_in: HandIn, tmp_path: Path) -> None:
    path = hand_in(PRISTINE | SOLVED, tmp_path, "my work/")
    file = only(path)
    assert path / "my work" / EXERCISE == file.path
    assert (f"kit: written: {EXERCISE}; {NOTHING_ELSE}",) == remarks_on(file)


def test_kits_in_a_folder_are_a_stack(tmp_path: Path) -> None:
    (tmp_path / "anna").mkdir()
    as_zip(PRISTINE | SOLVED, tmp_path / "anna")
    as_folder(PRISTINE | SOLVED_NOTEBOOK, tmp_path, "ben/")
    (tmp_path / "cleo.py").write_text("x = 1\n")
    stack = read_path(tmp_path, None)
    assert stack.is_stack
    names = ["anna/kit.zip/exercises/scaffold.py", "back/ben/notebooks/scaffold.ipynb", "cleo.py"]
    assert names == [file.path.relative_to(tmp_path).as_posix() for file in stack.files]


def test_a_kit_from_other_sources_is_compared_with_what_its_manifest_says(tmp_path: Path) -> None:
    older = loads(PRISTINE["kit.json"], "kit.json")
    older.files["grader/older.py"] = "ab" * 32
    files = PRISTINE | SOLVED | {"kit.json": dumps(older).encode(), "Makefile": b"all:\n"}
    first, second = remarks_on(only(as_zip(files, tmp_path)))
    assert "kit: made from other sources than these, or its kit.json was changed; compared with what that says" == first
    assert f"kit: written: {EXERCISE}; changed: Makefile; missing: grader/older.py; nothing added" == second


def test_a_manifest_that_alone_was_changed_is_named(tmp_path: Path) -> None:
    changed = PRISTINE["kit.json"].replace(b'"public_points": ', b'"public_points": 9')
    (alone,) = remarks_on(only(as_zip(PRISTINE | SOLVED | {"kit.json": changed}, tmp_path)))
    assert f"kit: written: {EXERCISE}; changed: kit.json; nothing added or missing" == alone


def test_where_no_kit_can_be_made_the_manifest_is_compared(tmp_path: Path) -> None:
    file = only(as_zip(PRISTINE | SOLVED, tmp_path))
    assert file.kit is not None
    first, _ = remarks(file.kit, KATAS, tmp_path)
    assert "kit: it cannot be made anew from these sources; compared with what its kit.json says" == first


@BOTH_WAYS
def test_a_manifest_that_names_a_file_to_write_that_is_no_source(hand_in: HandIn, tmp_path: Path) -> None:
    manifest = PRISTINE["kit.json"].replace(b"exercises/scaffold.py", b"requirements.txt")
    problem = str(only(hand_in(PRISTINE | {"kit.json": manifest}, tmp_path)).problem)
    assert "requirements.txt ends in .txt: a submission is a .py or an .ipynb file; rename or export it." in problem


@BOTH_WAYS
def test_a_kit_without_a_file_to_grade(hand_in: HandIn, tmp_path: Path) -> None:
    files = {name: data for name, data in PRISTINE.items() if name not in (EXERCISE, NOTEBOOK)} | {
        "exercises/a.txt": b"x"
    }
    problem = str(only(hand_in(files, tmp_path)).problem)
    assert problem.endswith(f"is a kit and holds none of {EXERCISE}, {NOTEBOOK}: put one of them back.")


def test_links_in_a_folder_are_not_followed(tmp_path: Path) -> None:
    """Not even to the same text: who hands in a link may change what it leads to."""
    path = as_folder(PRISTINE, tmp_path)
    for name in (EXERCISE, "Makefile"):
        (path / name).rename(tmp_path / Path(name).name)
        (path / name).symlink_to(tmp_path / Path(name).name)
    file = only(path)
    assert "is a symbolic link, and may lead anywhere: hand in the file itself." in str(file.problem)
    assert (f"kit: written: {EXERCISE}; changed: Makefile; nothing added or missing",) == remarks_on(file)


def test_a_kit_json_of_something_else_is_no_kit(tmp_path: Path) -> None:
    (tmp_path / "kit.json").write_text("{}")
    (tmp_path / "a.py").write_text("x = 1\n")
    stack = read_path(tmp_path, None)
    assert (["a.py"], True) == ([file.path.name for file in stack.files], stack.is_stack)


@pytest.mark.slow
def test_a_kit_is_graded_by_the_full_grader_and_not_by_its_own(tmp_path: Path) -> None:
    path = as_zip(PRISTINE | SOLVED | {"grader/__init__.py": b"raise SystemExit\n"}, tmp_path)
    ran = graded(str(path), "--seed", "7", "--json", str(tmp_path / "r.json"))
    assert (0, "") == (ran.returncode, ran.stderr)
    assert "score 100 of 100" in ran.stdout
    assert f"  note  kit: written: {EXERCISE}; changed: grader/__init__.py; nothing added or missing" in ran.stdout
    report = json.loads((tmp_path / "r.json").read_text())
    assert f"{path}/{EXERCISE}" == report["submission"]
    assert [f"kit: written: {EXERCISE}; changed: grader/__init__.py; nothing added or missing"] == report["remarks"]
    assert ["kit.zip", "r.json"] == sorted(each.name for each in tmp_path.iterdir())


@pytest.mark.deep
def test_a_kit_in_which_nothing_was_written_says_what_was_added_all_the_same(tmp_path: Path) -> None:
    path = as_zip(PRISTINE | {"answer.py": b"x = 1\n"}, tmp_path)
    ran = graded(str(path))
    assert 1 == ran.returncode
    assert "not written yet" in ran.stdout
    assert "  note  kit: added: answer.py; nothing changed or missing" in ran.stdout


@pytest.mark.deep
def test_a_kit_for_a_kata_that_is_not_here(tmp_path: Path) -> None:
    path = as_zip(PRISTINE | {"kit.json": PRISTINE["kit.json"].replace(b'"scaffold"', b'"scafold"')}, tmp_path)
    ran = graded(str(path))
    assert 2 == ran.returncode
    assert 'There is no kata "scafold": did you mean scaffold?' in ran.stdout
