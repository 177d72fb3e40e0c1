"""What untidy code does to its process is put right, and what raises beside a definition does not hide it."""

from collections.abc import Iterator
from typing import Any

import pytest

from grader.sandbox import Sandbox
from tests.grading import sandbox
from tests.sandbox_tools import LoadedWorker

STATE = """
import sys, warnings
import torch

def state():
    return [
        sys.stdout is sys.__stdout__,
        sys.stderr is sys.__stderr__,
        sys.getrecursionlimit(),
        warnings.filters[0][0] == "error",
        torch.is_inference_mode_enabled(),
        torch.is_autocast_enabled("cpu"),
        torch.get_float32_matmul_precision(),
        str(torch.get_default_dtype()),
    ]
"""
UNTIDY = """
sys.stdout = sys.stderr = None
sys.setrecursionlimit(300)
warnings.simplefilter("error")
guards = torch.inference_mode(), torch.autocast("cpu")
[guard.__enter__() for guard in guards]
torch.set_float32_matmul_precision("medium")
torch.set_default_dtype(torch.float64)
untidy = state()
"""


@pytest.fixture
def box() -> Sandbox:
    return sandbox()


@pytest.fixture
def notebook(box: Sandbox) -> Iterator[LoadedWorker]:
    with LoadedWorker(box, allow=None) as loaded:
        yield loaded


def load(loaded: LoadedWorker, source: str, cell: int | None = 1) -> dict[str, Any] | None:
    """What one more cell raised."""
    error: dict[str, Any] | None = loaded.ask("load", source=source, filename=f"cell {cell}", cell=cell)["error"]
    return error


def value(loaded: LoadedWorker, name: str) -> Any:
    return loaded.ask("call", object=None, name=name, args=[])["value"]


def test_state_that_a_cell_leaves_behind(box: Sandbox) -> None:
    with LoadedWorker(box, STATE) as tidy, LoadedWorker(box, STATE + UNTIDY) as untidy:
        assert tidy.error == untidy.error
        assert value(tidy, "state") == value(untidy, "state")
        as_it_was_left = zip(value(tidy, "state"), value(untidy, "untidy"), strict=True)
        assert all(before != after for before, after in as_it_was_left)


def test_state_that_a_call_leaves_behind(box: Sandbox) -> None:
    calls = STATE + "\ndef spoil():\n    " + UNTIDY.strip().replace("\n", "\n    ")
    with LoadedWorker(box, calls) as loaded:
        before = value(loaded, "state")
        loaded.call("spoil")
        assert before == value(loaded, "state")


@pytest.mark.parametrize("spoilt", ["sys.stdout.close(); sys.stderr.close()", "sys.stdout.detach()", "del sys.stdout"])
def test_streams_that_are_spoilt_are_made_anew(notebook: LoadedWorker, spoilt: str) -> None:
    assert load(notebook, f"import sys\n{spoilt}") is None
    assert load(notebook, "def f():\n    print('a', flush=True)\n    return sys.stderr.write('bc')") is None
    assert 2 == value(notebook, "f")


def test_a_stream_is_not_closed_by_what_stood_in_its_place(notebook: LoadedWorker) -> None:
    assert load(notebook, "import io, sys\nsys.stdout = io.TextIOWrapper(sys.stdout.buffer, encoding='utf-8')") is None
    assert load(notebook, "import gc\ngc.collect()\nprint('a', flush=True)") is None


@pytest.mark.parametrize(
    "put", ["io.TextIOWrapper(sys.stdout.buffer)", "codecs.getwriter('utf-8')(sys.stdout.detach())", "Raises()"]
)
def test_what_was_printed_to_a_stream_in_place_of_ours_is_told(notebook: LoadedWorker, put: str) -> None:
    raises = "class Raises:\n    def write(self, text): sys.__stdout__.write(text)\n    def flush(self): exit(1)"
    assert load(notebook, f"import codecs, io, sys\n{raises}\nsys.stdout = {put}\nprint('first')") is None
    assert load(notebook, "print('second')") is None
    notebook.ask("hello")  # the output of the reply before is here by now
    assert "first\nsecond\n" == notebook.worker.output()


def test_a_higher_recursion_limit_is_kept(box: Sandbox) -> None:
    with LoadedWorker(
        box, "import sys\nsys.setrecursionlimit(5000)\ndef limit(): return sys.getrecursionlimit()"
    ) as loaded:
        assert 5000 == value(loaded, "limit")


def test_what_follows_a_statement_that_raises_is_still_defined(notebook: LoadedWorker) -> None:
    error = load(notebook, "import absent_library\nassert False\ndef f(): return 1\nundefined")
    assert error is not None
    description = ("ModuleNotFoundError", "No module named 'absent_library'", 1)
    assert description == (error["type"], error["message"], error["frames"][0]["line"])
    assert 1 == value(notebook, "f")


def test_nothing_follows_an_exit(notebook: LoadedWorker) -> None:
    error = load(notebook, "def f(): return 1\nexit()\ndef f(): return 2")
    assert error is not None
    assert "SystemExit" == error["type"]
    assert 1 == value(notebook, "f")


def test_nothing_of_a_cell_with_a_syntax_error_is_run(notebook: LoadedWorker) -> None:
    error = load(notebook, "x = 1\nreturn x")
    assert error is not None
    assert ("SyntaxError", True) == (error["type"], "line 2" in error["message"])
    assert {} == notebook.ask("names", names=["x"])["definitions"]


def test_postponed_annotations_hold_for_later_cells(notebook: LoadedWorker) -> None:
    assert load(notebook, "from __future__ import annotations\ndef f(x: Nowhere): pass") is None
    assert load(notebook, "def g(x: Nowhere): pass", cell=2) is None


def test_await_at_the_top_of_a_file_is_no_python(notebook: LoadedWorker) -> None:
    error = load(notebook, "await two()", cell=None)
    assert error is not None
    assert "SyntaxError" == error["type"]
