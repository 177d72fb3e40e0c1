"""Folders that were handed in."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.records import GraderError
from grader.submission import read_path

SOURCE = b"def attend(q, k, v):\n    return q\n"
Put = Callable[[str, str | bytes], Path]


def test_a_folder_is_searched_without_hidden_files(put: Put, tmp_path: Path) -> None:
    wanted = [put("b.ipynb", "{}"), put("deep/er/a.py", "x = 1"), put("A.PY", "x = 1")]
    for name in (".hidden.py", ".ipynb_checkpoints/b.ipynb", "__pycache__/c.py", "notes.txt", "a.py.1.bak"):
        put(name, "x = 1")
    assert sorted(wanted) == [file.path for file in read_path(tmp_path, None).files]


@pytest.mark.parametrize("place", ["", "ann/"], ids=["here", "in a folder"])
def test_what_was_installed_beside_the_work_is_nobodys(put: Put, tmp_path: Path, place: str) -> None:
    wanted = [put(f"{place}{name}", SOURCE) for name in ("mha.py", "conda/mine.py", "src/lib/own.py")]
    installed = (
        "env/pyvenv.cfg env/bin/activate_this.py env/Lib/site-packages/six.py env/share/x.py conda/conda-meta/history "
        "conda/lib/python3.11/abc.py pyvenv.cfg bin/pip.py lib/python3.11/site-packages/a/b.py node_modules/gyp/gyp.py"
    )
    for name in installed.split():
        put(f"{place}{name}", "x = 1")
    assert sorted(wanted) == [file.path for file in read_path(tmp_path, None).files]


def test_an_empty_init_file_is_no_submission(put: Put, tmp_path: Path) -> None:
    wanted = [put("ann/__init__.py", SOURCE), put("ann/mha.py", "")]
    put("ann/tests/__init__.py", "")
    assert wanted == [file.path for file in read_path(tmp_path, None).files]


def test_a_tilde_means_the_home_folder(put: Put, monkeypatch: pytest.MonkeyPatch) -> None:
    path = put("my mha (1).py", "x = 1\n")
    monkeypatch.setenv("HOME", str(path.parent))
    assert [path] == [file.path for file in read_path(Path("~/my mha (1).py"), None).files]


def test_a_tilde_in_a_folder_is_a_name(put: Put, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put("home/a.py", "secret = 1\n")
    put("stack/~/a.py", "x = 1\n")
    put("stack/~nobody of that name.py", "x = 1\n")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path / "stack")
    files = [*read_path(Path(), None).files, *read_path(Path("~nobody of that name.py"), None).files]
    assert ["x = 1\n"] * 3 == [file.submission.cells[0].source for file in files if file.submission]


def test_folders_deeper_than_pythons_stack(put: Put, tmp_path: Path) -> None:
    file = put("z.py", "x = 1")
    deep = [tmp_path]
    try:
        for _ in range(1100):
            deep.append(deep[-1] / "a")
            deep[-1].mkdir()
        assert [file] == [entry.path for entry in read_path(tmp_path, None).files]
    finally:
        for folder in deep[:0:-1]:  # pytest would remove them by a recursion
            folder.rmdir()


@pytest.mark.parametrize("name", ["kit.tar.gz", "KIT.TGZ", "kit.7z", "kit.rar"])
def test_an_archive_that_cannot_be_read_is_not_passed_over(put: Put, tmp_path: Path, name: str) -> None:
    put("ann/mha.py", "x = 1")
    path = put(f"bo/{name}", "?")
    stack = read_path(tmp_path, None)
    expected = f"{path} is an archive that is not opened: unpack it, and hand in the folder."
    assert [None, expected] == [file.problem for file in stack.files]
    assert [expected] == [file.problem for file in read_path(path, None).files]


def test_what_nothing_was_read_from_is_named(put: Put, tmp_path: Path) -> None:
    for name in ("ann/mha.py", "ann/notes.txt", "bo/mha.docx", "cy.py.txt", "dee.py", "exercises.pdf", ".DS_Store"):
        put(f"stack/{name}", "x = 1")
    (tmp_path / "stack" / "eve").mkdir()
    assert ["bo", "cy.py.txt", "eve", "exercises.pdf"] == read_path(tmp_path / "stack", None).unread


def test_where_all_lies_in_one_folder_what_nothing_was_read_from_is_named_there(put: Put, tmp_path: Path) -> None:
    put("stack/homework 1/ann/mha.py", SOURCE)
    put("stack/homework 1/bo/mha.docx", "x")
    (tmp_path / "stack" / "homework 1" / "eve").mkdir()
    made = shutil.make_archive(str(tmp_path / "stack"), "zip", tmp_path / "stack")
    expected = ["homework 1/bo", "homework 1/eve"]
    assert [expected] * 2 == [read_path(path, None).unread for path in (tmp_path / "stack", Path(made))]


def test_in_sections_what_nothing_was_read_from_is_named_too(put: Put, tmp_path: Path) -> None:
    for name in ("1/ann/mha.py", "1/bo/mha.docx", "1/cy/mha.py", "2/dee/mha.py", "2/eve/mha.py", "2/fay/x", "3/gus/x"):
        put(f"stack/section {name}", SOURCE)
    assert ["section 1/bo", "section 2/fay", "section 3"] == read_path(tmp_path / "stack", None).unread


def test_what_lies_beside_an_answer_in_its_writer_s_folder_is_not_named(put: Put, tmp_path: Path) -> None:
    for name in ("ann/src/mha.py", "ann/data/x.csv", "bo/1/mha.py", "bo/2/mha.py", "bo/data/x.csv"):
        put(f"stack/{name}", SOURCE)
    assert [] == read_path(tmp_path / "stack", None).unread


def test_a_folder_without_submissions(put: Put, tmp_path: Path) -> None:
    put("notes.txt", "nothing")
    with pytest.raises(GraderError) as error:
        read_path(tmp_path, None)
    assert f"{tmp_path} holds no submission: put .py or .ipynb files into it." == str(error.value)


def test_a_link_that_is_named_like_a_zip_file_is_not_followed(put: Put, tmp_path: Path) -> None:
    put("elsewhere/b.py", "x = 1")
    own = put("stack/a.py", "x = 1")
    for name, target in (("b.zip", "elsewhere"), ("c.zip", "nowhere")):
        (tmp_path / "stack" / name).symlink_to(tmp_path / target)
    files = read_path(tmp_path / "stack", None).files
    assert [own] == [file.path for file in files if file.submission]
    assert ["b.zip", "c.zip"] == [file.path.name for file in files if file.problem]
