"""Magics in a notebook: those with an effect on the answer have it, the others do nothing, and line numbers stay."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.records import GraderError
from grader.submission import cells
from tests.fakes import notebook
from tests.grading import read

Put = Callable[[str, str | bytes], Path]
INLINE = "get_ipython().run_line_magic('matplotlib', 'inline')"
PWD = "get_ipython().run_line_magic('pwd', '')"


def sources(path: Path) -> list[str]:
    return [cell.source.rstrip("\n") for cell in read(path).cells]


def test_line_magics_and_shell_lines_are_calls_and_line_numbers_stay(put: Put) -> None:
    cell = "\n\n%matplotlib inline\nimport math\n!pip install numpy\nfiles = !ls\nmath?\nlast = 1"
    [source] = sources(put("a.ipynb", notebook(cell)))
    lines = source.split("\n")
    assert ["", "", INLINE, "import math"] == lines[:4]
    assert ["get_ipython().system('pip install numpy')", "files = get_ipython().getoutput('ls')"] == lines[4:6]
    assert "last = 1" == lines[7]


def test_a_timed_statement_is_run_and_a_long_command_shifts_no_line(put: Put) -> None:
    cell = "!pip install a \\\n  b\n%time x = f('a')\nif x:\n    %time import y\n%time no Python"
    command = "get_ipython().system('pip install a   b')"
    rest = "x = f('a')\nif x:\n    import y\nget_ipython().run_line_magic('time', 'no Python')"
    assert [f"{command}\n\n{rest}"] == sources(put("a.ipynb", notebook(cell)))


def test_a_magic_in_a_block_is_valid_python(put: Put) -> None:
    assert [f"if True:\n    {PWD}\nx = 1"] == sources(put("a.ipynb", notebook("if True:\n    %pwd\nx = 1")))


@pytest.mark.parametrize(
    "use", ["import mha", "import math, mha as m", "from a.mha import x", "from a import mha as m"]
)
def test_a_written_file_is_read_where_it_is_imported(put: Put, use: str) -> None:
    line = "__import__('sys').modules.setdefault({!r}, __import__(__name__))"
    registered = "\n".join(line.format(name) for name in ("mha", "a.mha", "a", "submission.mha"))
    written = "%%writefile a/mha.py\nx = 1\n%pwd"
    assert f"\nx = 1\n{PWD}\n{registered}" == sources(put("a.ipynb", notebook(written, use)))[0]


def test_a_written_file_is_read_where_it_is_run(put: Put) -> None:
    for run in ("%run mha.py", "%run -i 'mha.py'"):
        assert sources(put("a.ipynb", notebook("%%writefile mha.py\nx = 1", run)))[0].startswith("\nx = 1\n__import__")


@pytest.mark.parametrize("use", ["import mha2", "# import mha", "x = 'mha'"])
def test_a_written_file_that_nobody_imports_is_left_out(put: Put, use: str) -> None:
    assert [use] == sources(put("b.ipynb", notebook("%%writefile mha.py\nx = 1", use)))


def test_a_percent_sign_within_an_expression_or_a_string_is_python(put: Put) -> None:
    cell = "x = (5\n     % 3)\ntext = '''\n%matplotlib\n!ls\n'''"
    assert [cell] == sources(put("a.ipynb", notebook(cell)))


def test_a_timed_or_captured_cell_keeps_its_body_and_its_line_numbers(put: Put) -> None:
    path = put("a.ipynb", notebook("\n%%time\n%%capture out\n\nx = 1\n%pwd", "%%timeit -n 1\ny = 2"))
    assert [f"\n\n\n\nx = 1\n{PWD}", "\ny = 2"] == sources(path)


@pytest.mark.parametrize("magic", ["%%bash", "%%html", "%%writefile mha.py", "%%!", "%%javascript", "%%python2"])
def test_a_cell_for_another_program_is_left_out(put: Put, magic: str) -> None:
    path = put("a.ipynb", notebook(f"{magic}\ndef attend(): pass", "x = 1"))
    assert [(2, "x = 1")] == [(cell.number, cell.source) for cell in read(path).cells]


@pytest.mark.parametrize("cell", ["def f(:\n    pass", "x = '''", "%pwd\ndef f(:"])
def test_a_cell_with_a_syntax_error_is_kept_for_the_worker_to_tell(put: Put, cell: str) -> None:
    first, second = sources(put("a.ipynb", notebook(cell, "y = 1")))
    assert (cell.split("\n")[-1], "y = 1") == (first.split("\n")[-1], second)


def test_ipython_is_named_where_it_is_missing_and_needed(put: Put, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "IPython.core.inputtransformer2", None)
    cells._transformer.cache_clear()
    assert ["x = 1"] == sources(put("a.ipynb", notebook("x = 1")))
    with pytest.raises(GraderError, match="IPython, which turns magics into Python, is not installed here: run python"):
        read(put("b.ipynb", notebook("%pwd")))
