"""Notebooks: untidy ones are read, magics go and line numbers stay, what is none gets a sentence."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.fakes import notebook
from tests.grading import read
from tests.refusals import refusal

Put = Callable[[str, str | bytes], Path]


def sources(path: Path) -> list[str]:
    return [cell.source for cell in read(path).cells]


def test_cells_come_in_order_with_their_numbers(put: Put) -> None:
    path = put("a.ipynb", notebook("x = 1", "", "y = 2\nz = 3", kata="scaffold"))
    submission = read(path)
    assert [(1, "x = 1"), (3, "y = 2\nz = 3")] == [(cell.number, cell.source) for cell in submission.cells]
    assert (True, "scaffold") == (submission.is_notebook, submission.kata_hint)


def test_text_between_cells_is_not_counted(put: Put) -> None:
    raw = json.loads(notebook("x = 1", "y = 2"))
    raw["cells"].insert(1, {"cell_type": "markdown", "source": "# Title", "metadata": {}})
    raw["cells"].insert(0, {"cell_type": "raw", "source": "raw", "metadata": {}})
    assert [1, 2] == [cell.number for cell in read(put("a.ipynb", json.dumps(raw))).cells]


def test_windows_line_ends_and_a_byte_order_mark(put: Put) -> None:
    assert ["x = 1\ny = 2"] == sources(put("a.ipynb", "\ufeff" + notebook("x = 1\r\ny = 2")))


def test_a_notebook_of_version_3(put: Put) -> None:
    cell = {"cell_type": "code", "input": ["x = 1\n", "y = 2"], "language": "python"}
    heading = {"cell_type": "heading", "level": 1, "source": "A"}
    raw = {"worksheets": [{"cells": [heading, cell]}], "metadata": {}, "nbformat": 3, "nbformat_minor": 0}
    assert ["x = 1\ny = 2"] == sources(put("a.ipynb", json.dumps(raw)))


def strip_everything(raw: dict) -> None:
    for cell in raw["cells"]:
        for key in ("id", "metadata", "outputs", "execution_count"):
            del cell[key]
    del raw["metadata"], raw["nbformat_minor"]


def same_ids(raw: dict) -> None:
    for cell in raw["cells"]:
        cell["id"] = "not a valid id !"


def future_minor(raw: dict) -> None:
    raw["nbformat_minor"] = 99


def unknown_kernel(raw: dict) -> None:
    raw["metadata"] = {"kernelspec": {"name": "my-env", "display_name": 7}, "language_info": None}


def strange_outputs(raw: dict) -> None:
    raw["cells"][0]["outputs"] = [{"output_type": "nonsense", "text": 3}]


def list_sources(raw: dict) -> None:
    raw["cells"][0]["source"] = ["x = ", "1"]


@pytest.mark.parametrize(
    "untidy", [strip_everything, same_ids, future_minor, unknown_kernel, strange_outputs, list_sources]
)
def test_an_untidy_notebook_is_read_in_silence(
    put: Put,
    untidy: Callable[[dict], None],
    capfd: pytest.CaptureFixture[str],
    recwarn: pytest.WarningsRecorder,
) -> None:
    raw = json.loads(notebook("x = 1", "y = 2"))
    untidy(raw)
    assert ["x = 1", "y = 2"] == sources(put("a.ipynb", json.dumps(raw)))
    assert ("", "") == capfd.readouterr()
    assert [] == list(recwarn)


def test_a_hint_that_is_no_text_is_no_hint(put: Put) -> None:
    assert read(put("a.ipynb", notebook("x = 1", kata=["a"]))).kata_hint is None


def test_python_source_under_a_notebooks_name(put: Put) -> None:
    path = put("a.ipynb", "import torch\n")
    expected = "is not a notebook, its line 1 is not JSON (Expecting value): "
    assert f"{path} {expected}export it again as .ipynb, or name it .py if it is Python source." == refusal(read, path)


@pytest.mark.parametrize("content", ["[]", "{}", "3", '{"cells": 3}', '{"nbformat": 4, "metadata": {}}'])
def test_json_that_is_no_notebook(put: Put, content: str) -> None:
    path = put("a.ipynb", content)
    assert f"{path} is JSON, but not a notebook (no list of cells): export it again as .ipynb." == refusal(read, path)


@pytest.mark.parametrize(
    "content",
    [
        '{"cells": [3], "metadata": {}, "nbformat": 4}',
        '{"cells": [{"cell_type": "code", "source": [1]}], "nbformat": "x"}',
        '{"worksheets": [{}], "metadata": {}, "nbformat": 3}',
        '{"cells": [{"source": "x"}], "nbformat": 99}',
    ],
)
def test_a_damaged_notebook(put: Put, content: str) -> None:
    sentence = refusal(read, put("a.ipynb", content))
    assert "a.ipynb is a damaged notebook (" in sentence
    assert sentence.endswith("): open it in Jupyter and save it again.")


def test_undecodable_bytes(put: Put) -> None:
    assert refusal(read, put("a.ipynb", b'{"cells": ["\xff"]}')).endswith("): save the notebook as UTF-8.")


def test_a_notebook_without_code(put: Put) -> None:
    path = put("a.ipynb", notebook("", "  \n"))
    assert f"{path} has no code cell with anything in it: write your solution in one and save." == refusal(read, path)
    assert refusal(read, put("b.ipynb", notebook())).endswith("write your solution in one and save.")


def test_a_notebook_of_shell_commands_only(put: Put) -> None:
    sentence = refusal(read, put("a.ipynb", notebook("%%bash\nls")))
    assert sentence.endswith("a.ipynb holds magics and shell commands only: write your solution in a Python cell.")


def test_more_code_than_1_mib(put: Put) -> None:
    sentence = refusal(read, put("a.ipynb", notebook("#" * (1 << 20), "x = 1")))
    assert sentence.endswith("a.ipynb holds more than 1 MiB of code: keep the kata's cells only.")
