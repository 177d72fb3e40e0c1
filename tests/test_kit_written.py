"""Which file of a kit that came back is graded: the one that was written, and under another name too."""

from pathlib import Path

import nbformat
import pytest

from grader.submission import read_path
from tests.returned_kits import (
    BOTH_WAYS,
    EXERCISE,
    NOTEBOOK,
    PRISTINE,
    SOLVED,
    SOLVED_NOTEBOOK,
    HandIn,
    as_zip,
    graded,
    only,
    remarks_on,
)


def with_a_cell(data: bytes, source: str) -> bytes:
    book = nbformat.reads(data.decode(), 4)
    book.cells.append(nbformat.v4.new_code_cell(source))
    return nbformat.writes(book).encode()


SCRATCH = {
    "in the notebook": (SOLVED | {NOTEBOOK: with_a_cell(PRISTINE[NOTEBOOK], "x = 1")}, [EXERCISE]),
    "in the notebook, no Python": (SOLVED | {NOTEBOOK: with_a_cell(PRISTINE[NOTEBOOK], "x = = 1")}, [EXERCISE]),
    "in the exercise": (SOLVED_NOTEBOOK | {EXERCISE: PRISTINE[EXERCISE] + b"x = 1\n"}, [NOTEBOOK]),
    "in the notebook alone": ({NOTEBOOK: with_a_cell(PRISTINE[NOTEBOOK], "x = 1")}, [NOTEBOOK]),
    "a method put in from outside": (
        SOLVED | {NOTEBOOK: with_a_cell(PRISTINE[NOTEBOOK], "MultiHeadAttention.forward = abs")},
        [EXERCISE, NOTEBOOK],
    ),
    "a definition too long to be written out": (
        SOLVED | {NOTEBOOK: with_a_cell(PRISTINE[NOTEBOOK], "class MultiHeadAttention:\n  x = 1" + "+1" * 1500)},
        [EXERCISE, NOTEBOOK],
    ),
    "and the pristine stub is changed": (
        SOLVED
        | {NOTEBOOK: with_a_cell(PRISTINE[NOTEBOOK], "x = 1")}
        | {"pristine/scaffold.py": PRISTINE[EXERCISE] + b"#\n"},
        [EXERCISE, NOTEBOOK],
    ),
}


@pytest.mark.parametrize("situation", SCRATCH)
def test_a_file_that_still_has_the_stubs_definitions_is_not_graded_beside_one_that_was_written(
    situation: str, tmp_path: Path
) -> None:
    files, expected = SCRATCH[situation]
    path = as_zip(PRISTINE | files, tmp_path)
    assert expected == [file.path.relative_to(path).as_posix() for file in read_path(path, None).files]


RENAMED = "exercises/my mha (1).py"
TEST_OF_ONES_OWN = {"test_mine.py": b"from exercises.scaffold import MultiHeadAttention\n\nx = MultiHeadAttention\n"}


@BOTH_WAYS
@pytest.mark.parametrize("name", [RENAMED, "answer.ipynb"])
@pytest.mark.parametrize("left_out", [(), (EXERCISE,), (EXERCISE, NOTEBOOK)])
def test_an_answer_under_another_name(hand_in: HandIn, name: str, left_out: tuple[str, ...], tmp_path: Path) -> None:
    answer = SOLVED_NOTEBOOK[NOTEBOOK] if name.endswith("ipynb") else SOLVED[EXERCISE]
    others = {"copy.py": PRISTINE[EXERCISE], "venv/lib/site-packages/a.py": SOLVED[EXERCISE], "notebooks/a.txt": b"x"}
    files = PRISTINE | TEST_OF_ONES_OWN | others | {name: answer}
    path = hand_in({each: data for each, data in files.items() if each not in left_out}, tmp_path)
    file = only(path)
    assert (name, "scaffold", None) == (file.path.relative_to(path).as_posix(), file.kata, file.problem)
    assert "added: " in remarks_on(file)[0]


@BOTH_WAYS
@pytest.mark.parametrize(
    ("written", "remark"),
    [
        (EXERCISE, f"kit: written: {EXERCISE}; nothing changed or added or missing"),
        ("answer.py", "kit: added: answer.py; nothing changed or missing"),
    ],
)
def test_line_ends_of_windows_are_no_change(hand_in: HandIn, written: str, remark: str, tmp_path: Path) -> None:
    files = PRISTINE | {written: SOLVED[EXERCISE]}
    path = hand_in({name: data.replace(b"\n", b"\r\n") for name, data in files.items()}, tmp_path)
    file = only(path)
    assert (written, (remark,)) == (file.path.relative_to(path).as_posix(), remarks_on(file))


def test_an_answer_under_another_name_beside_one_in_its_place(tmp_path: Path) -> None:
    file = only(as_zip(PRISTINE | SOLVED | {RENAMED: SOLVED[EXERCISE]}, tmp_path))
    assert EXERCISE == file.path.relative_to(tmp_path / "kit.zip").as_posix()


def test_several_answers_under_other_names_are_named(tmp_path: Path) -> None:
    path = as_zip(PRISTINE | {RENAMED: SOLVED[EXERCISE], "answer.ipynb": SOLVED_NOTEBOOK[NOTEBOOK]}, tmp_path)
    ran = graded(str(path))
    sentence = f"nothing was written in {EXERCISE}, {NOTEBOOK}, and several other files define MultiHeadAttention"
    assert 2 == ran.returncode
    assert f"{sentence}: answer.ipynb, {RENAMED}. Hand in one of them alone." in " ".join(ran.stdout.split())
