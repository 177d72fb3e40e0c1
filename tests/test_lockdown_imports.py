"""What a submission imports is there although no file can be opened, and nothing of ours or beside it is."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from grader.records import Cell
from grader.sandbox import Limits, Sandbox
from grader.submission.imports import MOST, SYMBOLIC, imports
from grader.worker import landlock
from tests.grading import ROOT
from tests.sandbox_tools import LoadedWorker


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(Limits()) as started:
        yield started


def of(*sources: str) -> list[str]:
    return list(imports([Cell(source) for source in sources]))


def test_imports_are_found_at_any_depth_and_in_every_cell_once() -> None:
    inside = "def f():\n    class A:\n        if True:\n            import a.b as c, d\n"
    assert ["a.b", "d", "e", "e:f", "g", "g:*"] == of(inside, "from e import f\nimport d", "from g import *")


def test_parts_that_a_module_may_import_when_asked_are_asked_for() -> None:
    assert ["a.b", "c.d", "c:f", "a.b:e"] == of("import a.b as x, c.d\nx.e.g(y.z)\nc.f")


def test_imports_by_a_written_name_are_found_and_by_a_computed_one_not() -> None:
    assert ["a.b", "c"] == of("importlib.import_module('a.b'); __import__('c'); __import__('x' + y)")


def test_a_cell_that_is_no_python_counts_for_nothing() -> None:
    assert ["b"] == of("import a (", "\0", "import b")


@pytest.mark.parametrize(
    "source",
    [
        "import grader.katas, solutions, exercises, tests.grading, notebooks",
        "from grader import katas",
        "from . import a; from .b import c; from .. import d",
        "import antigravity, this, idlelib.idle, turtledemo, test.regrtest",
        "import unittest.__main__, __main__",
        "__import__('a b'); __import__('../a'); __import__(''); __import__('" + "a" * 300 + "')",
    ],
)
def test_what_is_ours_or_acts_or_is_no_name_is_left_out(source: str) -> None:
    assert [] == [name for name in of(source) if name != "unittest"]


def test_no_more_than_so_many_are_imported() -> None:
    assert MOST == len(of("\n".join(f"import a{number}" for number in range(MOST + 50))))


def test_what_torch_imports_late_is_asked_for_where_a_word_needs_it() -> None:
    assert [] == of("loss.backward()\ndef backward(ctx, g): return g")
    assert [SYMBOLIC] == of("y.backward(torch.ones(3))")
    assert [SYMBOLIC] == of("y.backward(gradient=g)")


def test_what_einops_imports_late_is_asked_for() -> None:
    assert ["einops", "einops:rearrange", "einops._torch_specific"] == of("from einops import rearrange")


def test_what_a_figure_imports_late_is_asked_for() -> None:
    backend = "matplotlib.backends.backend_agg"
    assert backend in of("import matplotlib.pyplot as plt")
    assert backend in of("def show():\n    from matplotlib import pyplot")
    assert backend not in of("import matplotlib\nmatplotlib.__version__")


STYLES = {
    "standard library": "import statistics, decimal, csv, heapq, bisect\ny = statistics.mean([1, 2])",
    "inside a function": "def f():\n    from fractions import Fraction\n    import colorsys\nf()",
    "part of a package": "from concurrent import futures\nimport xml.dom.minidom\nxml.dom.minidom.parseString",
    "checkpoint": "from torch.utils.checkpoint import checkpoint\n"
    "x = torch.ones(3, requires_grad=True)\ncheckpoint(torch.sin, x, use_reentrant=False).sum().backward()",
    "backward with a gradient": "x = torch.ones(3, requires_grad=True)\n(x * 2).backward(torch.ones(3))",
    "vmap and func.grad": "y = torch.vmap(torch.func.grad(lambda a: (a * a).sum()))(torch.ones(2, 3))",
    "jacrev": "torch.func.jacrev(torch.sin)(torch.ones(2))",
    "gradcheck": "torch.autograd.gradcheck(torch.sin, torch.ones(2, requires_grad=True).double())",
    "layers without start values": "torch.nn.utils.skip_init(torch.nn.Linear, 2, 2)",
    "numpy's parts": "import numpy as np\nnp.random.seed(1), np.testing.assert_allclose(1, 1)",
    "broadcast_shapes": "torch.broadcast_shapes((2, 1), (3,))",
    "assert_close": "torch.testing.assert_close(torch.ones(2), torch.ones(2))",
    "optimizer": "p = torch.nn.Linear(2, 2)\np(torch.ones(2)).sum().backward()\n"
    "torch.optim.AdamW(p.parameters()).step()",
    "compile": "@torch.compile\ndef f(x): return x + 1\ng = torch.compile(torch.nn.Linear(2, 2), mode='default')\n"
    "g.compile()\ny = f(torch.ones(2)), g(torch.ones(2))",
    "generated code": "torch.nn.LSTM(4, 4)(torch.ones(2, 1, 4)), torch.nn.Conv2d(4, 4, 3)(torch.ones(1, 4, 9, 9))",
    "bfloat16": "y = torch.nn.Linear(256, 256).bfloat16()(torch.ones(128, 256).bfloat16())",
    "seeds": "import random\nrandom.seed(1)\ntorch.manual_seed(1)\ntorch.Generator().manual_seed(2)\ntorch.rand(2)",
    "named characters": 'y = "\\N{DEGREE SIGN}", "é".encode("latin-1")',
    "script": "@torch.jit.script\ndef f(x: torch.Tensor) -> torch.Tensor:\n    return x + 1\ny = f(torch.ones(2))",
    "source": "import inspect\ndef f(): return 1\nassert 'return 1' in inspect.getsource(f)",
    "warnings and tracebacks": "import warnings, traceback\nwarnings.warn('careful')\n"
    "try: 1 / 0\nexcept ZeroDivisionError: traceback.print_exc()",
    "logging": "import logging\nlogging.basicConfig(level=logging.INFO)\nlogging.getLogger('a').info('hello')",
    "dates": "import datetime, time\ny = datetime.datetime.strptime('2020', '%Y'), time.localtime()",
    "dataclass": "import dataclasses\n@dataclasses.dataclass\nclass A:\n    a: int = 1\ndataclasses.replace(A(), a=2)",
    "a picture": "import io\nimport matplotlib.pyplot as plt\nfig, ax = plt.subplots()\nax.plot([1, 2], label='w')\n"
    "ax.set_title('weights')\nax.legend()\nplt.tight_layout()\nfig.canvas.draw()\nplt.show()\n"
    "picture = io.BytesIO()\nplt.savefig(picture)\nassert picture.getvalue()",
}


@pytest.mark.sample(4)
@pytest.mark.parametrize("name", STYLES)
def test_a_correct_style_works_inside_the_sandbox(sandbox: Sandbox, name: str) -> None:
    with LoadedWorker(sandbox, "import torch\n" + STYLES[name]) as loaded:
        assert loaded.error is None


@pytest.mark.slow
def test_a_user_without_a_home_keeps_no_folder_of_matplotlib(tmp_path: Path) -> None:
    """It makes one below TMPDIR, says so, and would remove it at an end of the process that a worker never has."""
    program = "import os; from grader.worker import plots; plots.get_ready(); os._exit(0)"
    environment = {"HOME": os.devnull, "TMPDIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert (0, "", "") == (done.returncode, done.stdout, done.stderr)
    assert [] == list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["no_such_library", "torch.no_such_part", "grader.katas", "solutions.scaffold"])
def test_what_is_not_installed_is_told_as_python_does(sandbox: Sandbox, name: str) -> None:
    with LoadedWorker(sandbox, f"import {name}") as loaded:
        assert "ModuleNotFoundError" == loaded.error["type"]
        missing = "solutions" if name == "solutions.scaffold" else name
        assert f"No module named '{missing}'" == loaded.error["message"]


def test_a_module_that_ends_python_when_imported_ends_nothing(sandbox: Sandbox) -> None:
    """lib2to3.__main__ and its like call sys.exit; the name is let through here as no source would."""
    with sandbox.worker(["lib2to3.__main__", "statistics"]) as worker:
        assert worker.pid == worker.request({"verb": "hello"}, timeout=20.0).head["pid"]


@pytest.mark.skipif(not landlock.abi(), reason="this system has no Landlock")
def test_a_module_that_writes_or_runs_a_program_when_it_is_imported_is_refused(tmp_path: Path) -> None:
    (tmp_path / "writes.py").write_text(f"open({str(tmp_path / 'left')!r}, 'w').close()")
    (tmp_path / "makes.py").write_text(f"import os; os.mkdir({str(tmp_path / 'folder')!r})")
    (tmp_path / "runs.py").write_text(f"import subprocess; subprocess.run(['touch', {str(tmp_path / 'ran')!r}])")
    names = ["makes", "runs", "writes"]
    script = (
        f"import sys; sys.path[:0] = sys.argv[1:]; from grader.worker.preload import bring_in; bring_in({names}, %s)"
    )
    for without, left in ([], []), (["landlock"], ["folder", "left", "ran"]):
        command = [sys.executable, "-c", script % without, str(tmp_path), str(ROOT)]
        subprocess.run(command, check=True, cwd=tmp_path)
        assert left == sorted(path.name for path in tmp_path.iterdir() if path.suffix != ".py" and path.name[0] != "_")


def test_where_no_folder_can_be_written_modules_are_imported_all_the_same(tmp_path: Path) -> None:
    (tmp_path / "asks.py").write_text("import tempfile; folder = tempfile.gettempdir()")
    script = (
        f"import sys, tempfile; sys.path[:0] = {[str(tmp_path), str(ROOT)]}; tempfile._candidate_tempdir_list = list\n"
        "from grader.worker.preload import bring_in; bring_in(['asks']); print(sys.modules['asks'].folder)"
    )
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert ("/\n", "") == (ran.stdout, ran.stderr)
