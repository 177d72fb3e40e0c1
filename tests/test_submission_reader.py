"""Reading one file: what is accepted, and the sentence for each kind of bad input."""

import errno
import hashlib
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.submission.paths import NOTEBOOK_LIMIT, SOURCE_LIMIT
from tests.grading import read
from tests.refusals import refusal

Put = Callable[[str, str | bytes], Path]


def test_a_python_file_is_one_cell_without_a_number(put: Put) -> None:
    path = put("a.py", "x = 1\n")
    submission = read(path)
    assert [("x = 1\n", None)] == [(cell.source, cell.number) for cell in submission.cells]
    assert (path, False, None) == (submission.path, submission.is_notebook, submission.kata_hint)
    assert hashlib.sha256(b"x = 1\n").hexdigest() == submission.sha256


def test_byte_order_mark_crlf_and_tabs_are_fine(put: Put) -> None:
    assert "if 1:\n\tx = 'é'\n" == read(put("a.py", "\ufeffif 1:\r\n\tx = 'é'\r\n")).cells[0].source


def test_the_magics_of_a_notebook_are_calls_where_it_was_exported_as_it_stood(put: Put) -> None:
    source = read(put("a.py", "\n\n!pip install x\nif 1:\n    %matplotlib inline\n    text = '!ls'\n")).cells[0].source
    assert "\n\nget_ipython().system('pip install x')\nif 1:\n    get_ipython().run_line_magic(" == source[:79]
    for wrong in ("!ls\ndef f(:\n", "x = 1 %\n"):
        assert ": syntax error, " in refusal(read, put("b.py", wrong))


def test_a_coding_line_is_respected(put: Put) -> None:
    source = "# -*- coding: latin-1 -*-\nx = 'é'\n"
    assert source == read(put("a.py", source.encode("latin-1"))).cells[0].source


def test_an_invalid_escape_sequence_warns_nobody(put: Put, recwarn: pytest.WarningsRecorder) -> None:
    read(put("a.py", "x = '\\d'\n"))
    assert [] == list(recwarn)


def test_no_such_file_names_the_nearest(put: Put) -> None:
    near = put("candidate.py", "x = 1")
    path = near.with_name("candidat.py")
    assert f"{path} does not exist: did you mean {near}?" == refusal(read, path)


def test_no_such_file_and_nothing_near(tmp_path: Path) -> None:
    assert refusal(read, tmp_path / "a.py").endswith("a.py does not exist: check the path.")
    problem = "is an address, and a file is asked for: save it here, and name it without"
    assert f"file:/home/a.py {problem} file://." == refusal(read, Path("file:///home/a.py"))
    assert f"https:/github.com/a.py {problem} https://." == refusal(read, Path("https://github.com/a.py"))


def test_no_such_folder(tmp_path: Path) -> None:
    path = tmp_path / "gone" / "a.py"
    assert f"{path} does not exist, and neither does its folder {path.parent}: check the path." == refusal(read, path)


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    assert f"{tmp_path} is a folder: name one .py or .ipynb file in it." == refusal(read, tmp_path)


def test_a_named_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.py")
    assert "is not a regular file (a pipe, socket or device): save it as a file first." in refusal(
        read, tmp_path / "a.py"
    )


@pytest.mark.parametrize(("name", "ending"), [("a.txt", "ends in .txt"), ("a", "has no suffix")])
def test_a_wrong_suffix(put: Put, name: str, ending: str) -> None:
    path = put(name, "x = 1")
    expected = f"{path} {ending}: a submission is a .py or an .ipynb file; rename or export it."
    assert expected == refusal(read, path)


@pytest.mark.parametrize("name", ["a.py", "a.ipynb"])
@pytest.mark.parametrize("content", ["", " \n\n"])
def test_an_empty_file(put: Put, name: str, content: str) -> None:
    assert refusal(read, put(name, content)).endswith(" is empty: save your work into it first.")


def test_a_python_file_above_1_mib(put: Put) -> None:
    sentence = refusal(read, put("a.py", b"#" * (SOURCE_LIMIT + (1 << 19))))
    assert sentence.endswith("a.py is 1.5 MiB large, and at most 1 MiB are read: remove what the kata does not need.")


def test_a_notebook_above_50_mib_is_not_opened(tmp_path: Path) -> None:
    path = tmp_path / "a.ipynb"
    with path.open("wb") as file:
        file.truncate(NOTEBOOK_LIMIT + (1 << 20))  # takes no space on the disk
    assert "is 51 MiB large, and at most 50 MiB are read" in refusal(read, path)
    assert refusal(read, path).endswith("and clear its outputs.")


def test_a_file_without_permission(put: Put, monkeypatch: pytest.MonkeyPatch) -> None:
    def read_bytes(path: Path) -> bytes:
        raise PermissionError(errno.EACCES, "Permission denied")

    path = put("a.py", "x = 1")
    monkeypatch.setattr(Path, "read_bytes", read_bytes)  # root, who may read everything, runs tests too
    assert f"{path} cannot be read (Permission denied): check its permissions." == refusal(read, path)


def test_undecodable_bytes(put: Put) -> None:
    sentence = refusal(read, put("a.py", b"x = '\xff\xfe'\n"))
    assert "a.py cannot be decoded (" in sentence
    assert sentence.endswith("): save it as UTF-8.")


def test_undecodable_bytes_far_down(put: Put) -> None:
    sentence = refusal(read, put("a.py", b"x = 1\n" * 9000 + b"y = '\xff'\n"))
    assert "a.py cannot be decoded (" in sentence


def test_an_unknown_coding_line(put: Put) -> None:
    assert "cannot be decoded (unknown encoding" in refusal(read, put("a.py", "# coding: klingon\nx = 1\n"))


def test_a_syntax_error_names_the_line_and_its_text(put: Put) -> None:
    path = put("a.py", "x = 1\ndef f(:\n    pass\n")
    problem = f"{path}:2: syntax error, invalid syntax: def f(:\nCorrect that line; it is read as Python "
    assert f"{problem}{sys.version_info[0]}.{sys.version_info[1]}." == refusal(read, path)


def test_a_null_byte(put: Put) -> None:
    sentence = refusal(read, put("a.py", b"x = 1\x00\n"))
    assert sentence.endswith(
        "a.py is not Python source (source code string cannot contain null bytes): save it as text."
    )


def test_a_symbolic_link_is_not_followed(put: Put, tmp_path: Path) -> None:
    (tmp_path / "link.py").symlink_to(put("private.py", "secret = 1"))
    (tmp_path / "nowhere.py").symlink_to(tmp_path / "gone.py")
    (tmp_path / "itself.py").symlink_to(tmp_path / "itself.py")
    for name in ("link.py", "nowhere.py", "itself.py"):
        assert "is a symbolic link, and may lead anywhere: hand in the file itself." in refusal(read, tmp_path / name)


@pytest.mark.parametrize("codec", ["rot13", "punycode", "undefined"])
def test_an_encoding_that_decodes_no_bytes_or_not_these(put: Put, codec: str) -> None:
    assert refusal(read, put("a.py", f"# coding: {codec}\nx = 1\n")).endswith("save it as UTF-8.")


@pytest.mark.parametrize("codec", ["punycode", "Punycode", "idna"])
def test_an_encoding_of_addresses_is_not_waited_for(put: Put, codec: str) -> None:
    sentence = refusal(read, put("a.py", f"# coding: {codec}\n" + "x-" + "b" * 1_000_000))
    assert f"a.py cannot be decoded ({codec} is for addresses): save it as UTF-8." in sentence
