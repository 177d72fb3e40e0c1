"""Files that are something else than their name says."""

import pytest

from tests.grading import read
from tests.refusals import refusal
from tests.test_submission_reader import Put


@pytest.mark.parametrize("name", ["a.py", "a.ipynb"])
def test_a_merge_that_was_left_open(put: Put, name: str) -> None:
    sides = "<<<<<<< HEAD\n  1\n=======\n  2\n>>>>>>> main\n"
    path = put(name, f'{{\n"cells": [\n{sides}]}}\n')
    problem = "a merge was left open there (<<<<<<<): keep one side, and remove the marks that Git left."
    assert f"{path}:3: {problem}" == refusal(read, path)
    assert problem not in refusal(read, put(name, sides.replace("=======\n", "")))


def test_code_that_was_pasted_with_the_fence_around_it(put: Put) -> None:
    path = put("a.py", "```python\ndef attend(): ...\n```\n")
    assert refusal(read, path).startswith(f"{path}:1: syntax error, ")
    assert refusal(read, path).endswith(
        ": ```python\nThat line is Markdown: keep only the code between the lines of ```."
    )
    assert "Markdown" not in refusal(read, put("b.py", 'attend =\n"""\n```python\n```\n"""\n'))


@pytest.mark.parametrize("name", ["a.py", "a.ipynb"])
@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n", "is a pointer of Git LFS, not the file: run "),
        (b"\xef\xbb\xbf\n<!DOCTYPE html>\n", "is a web page: download the file itself."),
        (b"%PDF-1.7\n%\xe2\xe3", "is a PDF file: hand in the .py or .ipynb file that it was made from."),
        (b"{\\rtf1\\ansi x}", "is text with a layout (RTF): save it as plain text."),
        (b"PK\x03\x04\x14", "is a zip file or an office document: hand in the .py or .ipynb file that is in it."),
        (b"\x1f\x8b\x08", "is compressed (gzip): unpack it, and hand in what is in it."),
    ],
)
def test_something_else_than_the_name_says(put: Put, name: str, content: bytes, problem: str) -> None:
    path = put(name, content)
    assert refusal(read, path).startswith(f"{path} {problem}")
