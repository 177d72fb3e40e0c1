"""Zip files in a folder of submissions."""

import zipfile
from pathlib import Path

from grader.submission import read_path
from tests.returned_kits import EXERCISE, PRISTINE, SOLVED, as_zip


def zip_of(count: int, path: Path) -> None:
    with zipfile.ZipFile(path, "w") as written:
        for number in range(count):
            written.writestr(f"{number}.py", "x = 1\n")


def test_a_zip_file_in_a_folder_is_one_persons(tmp_path: Path) -> None:
    zip_of(20, tmp_path / "20.zip")
    zip_of(21, tmp_path / "21.zip")
    *those_read, refused = (file.problem for file in read_path(tmp_path, None).files)
    sentence = f"{tmp_path}/21.zip holds 21 submissions, and a zip file in a stack may hold 20: unpack it, if they are"
    assert ([None] * 20, f"{sentence} several people's.") == (those_read, refused)


def test_the_folder_itself_may_be_listed_in_a_zip_file(tmp_path: Path) -> None:
    """As `tar -a -cf mine.zip .` does on macOS and Windows."""
    with zipfile.ZipFile(tmp_path / "mine.zip", "w") as written:
        written.writestr("./", "")
        written.writestr("./mha.py", "x = 1\n")
    assert [tmp_path / "mine.zip" / "mha.py"] == [file.path for file in read_path(tmp_path / "mine.zip", None).files]


def test_a_zip_file_that_is_named_may_hold_more(tmp_path: Path) -> None:
    zip_of(21, tmp_path / "21.zip")
    assert 21 == len(read_path(tmp_path / "21.zip", None).files)


def test_a_kit_in_an_exported_zip_file_is_graded(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "export.zip", "w") as written:
        written.write(as_zip(PRISTINE | SOLVED, tmp_path), "ann_1_assignsubmission_file_/kit.zip")
        written.writestr("bo_2_assignsubmission_file_/mha.py", "x = 1\n")
    stack = read_path(tmp_path / "export.zip", None)
    assert ([None, None], ["scaffold", None]) == (
        [file.problem for file in stack.files],
        [file.kit and file.kit.kit.kata for file in stack.files],
    )
    assert tmp_path / "export.zip" / "ann_1_assignsubmission_file_" / "kit.zip" / EXERCISE == stack.files[0].path
