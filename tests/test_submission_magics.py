"""Magics in a notebook: those with an effect on the answer have it, the others go, and line numbers stay."""

from collections.abc import Callable
from pathlib import Path

import pytest

from grader.records import GraderError
from grader.submission import magics, read
from tests.fakes import notebook

Put = Callable[[str, str | bytes], Path]


def sources(path: Path) -> list[str]:
    return [cell.source for cell in read(path).cells]


def test_line_magics_and_shell_lines_go_and_line_numbers_stay(put: Put) -> None:
    cell = "\n\n%matplotlib inline\nimport math\n!pip install \\\n    numpy\nfiles = !ls\nmath?\nlast = 1"
    expected = "\n\nNone\nimport math\nNone\n\nfiles = None\nNone\nlast = 1"
    assert [expected] == sources(put("a.ipynb", notebook(cell)))


def test_a_magic_alone_in_a_block_leaves_valid_python(put: Put) -> None:
    assert ["if True:\n    None\nx = 1"] == sources(put("a.ipynb", notebook("if True:\n    %prun f()\nx = 1")))


def test_a_timed_statement_is_run(put: Put) -> None:
    cell = "%time x = f('a', \"b\")\nif x:\n    %time y = 1\n%time no Python\nz = %timeit -o f()\n%time"
    expected = "x = f('a', \"b\")\nif x:\n    y = 1\nNone\nz = None\nNone"
    assert [expected] == sources(put("a.ipynb", notebook(cell)))


def test_pylab_binds_what_ipython_has_it_bind(put: Put) -> None:
    names = "import numpy; np = numpy; import matplotlib; from matplotlib import pylab, mlab, pyplot; plt = pyplot"
    everything = f"{names}; from matplotlib.pylab import *; from numpy import *"
    for magic in ("%pylab", "%pylab inline"):
        assert [f"x = 1\n{everything}\ny"] == sources(put("a.ipynb", notebook(f"x = 1\n{magic}\ny")))
    assert [names] == sources(put("a.ipynb", notebook("%pylab --no-import-all inline")))
    assert ["if True:\n    None"] == sources(put("a.ipynb", notebook("if True:\n    %pylab inline")))


def test_a_written_file_is_read_where_it_is_imported_or_run(put: Put) -> None:
    written = "%%writefile a/mha.py\nx = 1\n%pwd"
    line = "__import__('sys').modules.setdefault({!r}, __import__(__name__))"
    registered = "\n".join(line.format(name) for name in ("mha", "a.mha", "a", "submission.mha"))
    uses = "import mha", "import math, mha as m", "if True:\n    from a.mha import x", "%run a/mha.py --quick"
    for use in (
        *uses,
        "%run -i mha.py",
        "%run 'a/mha.py'",
        "import torch.a, a.mha",
        "from a import x, mha as m",
        "from b.a import (mha)",
    ):
        assert f"\nx = 1\nNone\n{registered}" == sources(put("a.ipynb", notebook(written, use)))[0]
    for use in (
        "import mha2",
        "# import mha",
        "from torch import mha",
        "%run mha",
        "import math; mha",
        "import a as mha",
    ):
        assert f"y\n{use}".replace("%run mha", "None") == sources(put("b.ipynb", notebook(written, f"y\n{use}")))[0]


@pytest.mark.parametrize("magic", ["-a mha.py", "--append 'mha.py'", "mha.py -a "])
def test_what_is_appended_in_the_midst_of_a_statement_stands_where_the_file_began(put: Put, magic: str) -> None:
    begun, rest = "class A:\n    x = 1\n", "    y = 2\n\nz = 3"
    cells = [f"%%writefile mha.py\n{begun}", "import mha", f"%%writefile {magic}\n{rest}", "%%file -a mha.py\nlast = 4"]
    whole, use, last = sources(put("a.ipynb", notebook(*cells)))
    registered = "__import__('sys').modules.setdefault('mha', __import__(__name__))"
    assert f"\n{begun}{rest}\n{registered}" == whole
    assert ("import mha", f"\nlast = 4\n{registered}") == (use, last)


def test_what_is_appended_to_another_file_or_written_anew_stands_where_it_is(put: Put) -> None:
    cells = ["%%file a/mha.py\nif x:\n    y = 1", "%%file -a mha.py\nelse: pass", "%%file a/mha.py\nelse: pass"]
    first, *others = sources(put("a.ipynb", notebook(*cells, "import mha")))
    assert first.startswith("\nif x:\n    y = 1\n__import__")
    assert ["\nelse: pass\n__import__"] * 2 == [other[: len("\nelse: pass\n__import__")] for other in others[:2]]


def test_a_percent_sign_within_an_expression_or_a_string_is_python(put: Put) -> None:
    cell = "x = (5\n     % 3)\ntext = '''\n%matplotlib\n!ls\n'''"
    assert [cell] == sources(put("a.ipynb", notebook(cell)))


def test_a_timed_or_captured_cell_keeps_its_body(put: Put) -> None:
    path = put("a.ipynb", notebook("%%time\n%%capture out\n\nx = 1\n%pwd", "%%timeit -n 1\ny = 2"))
    assert ["\n\n\nx = 1\nNone", "\ny = 2"] == sources(path)


@pytest.mark.parametrize("magic", ["%%bash", "%%html", "%%writefile mha.py", "%%!", "%%javascript", "%%python2"])
def test_a_cell_for_another_program_is_left_out(put: Put, magic: str) -> None:
    path = put("a.ipynb", notebook(f"{magic}\ndef attend(): pass", "x = 1"))
    assert [(2, "x = 1")] == [(cell.number, cell.source) for cell in read(path).cells]


def test_a_cell_with_a_syntax_error_stays_as_it_is(put: Put) -> None:
    path = put("a.ipynb", notebook("def f(:\n    pass", "x = '''", "y = 1"))
    assert ["def f(:\n    pass", "x = '''", "y = 1"] == sources(path)


def test_a_cell_that_ipython_gives_up_on_is_kept(put: Put, monkeypatch: pytest.MonkeyPatch) -> None:
    def give_up(source: str) -> str:
        raise RuntimeError("Input transformation still changing after 500 iterations")

    monkeypatch.setattr("nbconvert.filters.strings.ipython2python", give_up)
    assert ["%pwd", "x = 1"] == sources(put("a.ipynb", notebook("%pwd", "x = 1")))


def test_a_notebook_of_thousands_of_magics_is_not_waited_for(put: Put) -> None:
    with pytest.raises(GraderError, match="holds too many % and ! lines: remove what the kata does not need"):
        read(put("a.ipynb", notebook("%pwd\n" * 2000, "x = 1")))


LONG = 20_000  # at which IPython would take some 10 s; it takes a hundred times as long for ten times as much
APPENDED = ["%%writefile mha.py\n" + "x = 1\n" * 1_000 + "y = (", *["%%writefile -a mha.py\n1,"] * 1_000]


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        (["x = 1\na" + " " * LONG + "?"], "too many spaces in a row"),
        (["x = 1", "a" + " " * LONG + "$"], "too many spaces in a row"),
        (["x = 1\n" + "a" * LONG + " b!?"], "too long a name beside a ? line"),
        (["x = 1\n" + "a[1].b*" * (LONG // 7) + "!?"], "too long a name beside a ? line"),
        (APPENDED, "too many %%writefile -a cells"),
        (["x = 1" + "\n" * 600_000 + "%pwd\n%pwd"], "too many % and ! lines"),
    ],
)
def test_what_ipython_takes_minutes_for_is_told(put: Put, cells: list[str], said: str) -> None:
    path = put("a.ipynb", notebook(*cells))
    with pytest.raises(GraderError) as error:
        read(path)
    assert f"{path} holds {said}: remove what the kata does not need." == str(error.value)


def test_a_script_that_ipython_takes_minutes_for_has_a_syntax_error(put: Put) -> None:
    with pytest.raises(GraderError, match=r"a\.py:1: syntax error, invalid syntax"):
        read(put("a.py", "a" + " " * LONG + "?\n"))


@pytest.mark.parametrize(
    "cell", ["x = '" + "a" * LONG + "'\n!ls", "if 1:\n" + (" " * 99 + "x = 1\n") * 3_000 + "y = 1", "x" * LONG]
)
def test_long_lines_without_a_question_are_read(put: Put, cell: str) -> None:
    assert [cell.replace("!ls", "None")] == sources(put("a.ipynb", notebook(cell)))


def test_a_command_that_quotes_timed_statements_is_gone_through_once(put: Put) -> None:
    cell = "!" + "get_ipython().run_line_magic('time', 'a'" * LONG + "\nx = 1"
    assert ["None\nx = 1"] == sources(put("a.ipynb", notebook(cell)))


def test_pasted_prompts_are_stripped(put: Put) -> None:
    assert ["x = 1\ny = 2"] == sources(put("a.ipynb", notebook(">>> x = 1\n>>> y = 2")))


def test_spaces_in_a_list_of_modules_are_gone_through_once() -> None:
    assert ["a", "b"] == magics.NAME.findall("a," + " " * 1_000_000 + ";, ( b")
