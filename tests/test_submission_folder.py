"""Folders that were handed in."""

from collections.abc import Callable
from pathlib import Path

import pytest

from grader.handed import handed_in
from grader.records import GraderError

SOURCE = b"def attend(q, k, v):\n    return q\n"
Put = Callable[[str, str | bytes], Path]


def test_a_folder_is_searched_without_hidden_files(put: Put, tmp_path: Path) -> None:
    wanted = [put("b.ipynb", "{}"), put("deep/er/a.py", "x = 1"), put("A.PY", "x = 1")]
    for name in (".hidden.py", ".ipynb_checkpoints/b.ipynb", "__pycache__/c.py", "notes.txt", "a.py.1.bak"):
        put(name, "x = 1")
    assert sorted(wanted) == [file.path for file in handed_in(tmp_path, None).files]


def test_a_folder_without_submissions(put: Put, tmp_path: Path) -> None:
    put("notes.txt", "nothing")
    with pytest.raises(GraderError) as error:
        handed_in(tmp_path, None)
    assert f"{tmp_path} holds no submission: put .py or .ipynb files into it." == str(error.value)
