"""What an interviewer is told to read: the ways into the grader's process, and nothing in what people write."""

import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.records import Cell
from grader.submission.imports import imports
from grader.submission.suspects import suspects
from tests.attack_tools import Attack, attacks
from tests.grading import ROOT, read
from tests.test_untidy import CASES
from tests.untidy.case import Case

HONEST = [*ROOT.glob("tests/correct/*/*.py"), *ROOT.glob("solutions/*.py"), *ROOT.glob("exercises/*.py")]
HONEST += [*ROOT.glob("notebooks/*.ipynb"), *ROOT.glob("tests/golden/runs/*/submission.*")]
BAN = [each for each in attacks() if each.name.startswith("ban_")]
BY_THE_NAME = ("ban_hidden",)
"""It uses a forbidden name as it stands, which the policy tells."""
LONG = "a" * 50_000


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("import ctypes", "ctypes (a.py:1)"),
        ("x = 1\nfrom ctypes import CDLL", "ctypes (a.py:2)"),
        ("import sys\nsys._getframe().f_back", "f_back (a.py:2), _getframe (a.py:2)"),
        ("from sys import _getframe", "sys._getframe (a.py:1)"),
        ("import torch\ntorch.library.Library", "torch.library (a.py:2)"),
        ("import sys\nsys.modules['grader.wire']", "sys.modules (a.py:2), grader.wire (a.py:2)"),
        ("x = a" + ".b" * 1500 + "\nimport ctypes", "ctypes (a.py:2)"),
        ("x = torch.library.b.b.b.b", "torch.library (a.py:1)"),
        ("import torch\ntorch.nn.attention.flex_attention", "torch.nn.attention.flex_attention (a.py:2)"),
        ("getattr(F, 'scaled_dot' + '_product_attention')", "getattr of a name put together (a.py:1)"),
        ("getattr(F, 'noitnetta'[::-1])", "getattr of a name put together (a.py:1)"),
        ("x = 1\nexec('import ctypes')", "ctypes (a.py:2)"),
        ("eval(' x._getframe')", "_getframe (a.py:1)"),
        ("exec('exec(\"import ctypes\")')", "ctypes (a.py:1)"),
        ("import sys\nlocal = 'google.colab' not in sys.modules", None),
        ("if 'a' in sys.modules['b']: pass", "sys.modules (a.py:1)"),
        ("@torch.library.custom_op('mine::soft', mutates_args=())\ndef soft(x): ...", None),
        ("exec('x = 1')", None),
        ("exec('import ctypes :')", None),
        ("exec(bytes.fromhex('00').decode())", None),
        ("getattr(self, f'{name}_proj')", None),
        ("import gc\ngc.disable()", None),
        ("the grader = nobody", None),
        ("x = 'grader'", None),
    ],
)
def test_a_source_and_what_is_told_of_it(source: str, reason: str | None) -> None:
    sentence = f"worth reading, as no answer needs it: {reason}" if reason else None
    assert sentence == suspects([Cell(source)], "a.py")


def test_a_cell_is_named_by_its_number_and_a_long_list_is_cut() -> None:
    names = "_getframe f_back f_locals f_globals __closure__ __code__ __subclasses__ get_referrers".split()
    sentence = suspects([Cell("pass", 1), Cell("\n".join(f"x.{name}" for name in names), 2)], "a.ipynb")
    assert sentence is not None
    assert sentence.endswith("__code__ (cell 2:6) and 2 more")


@pytest.mark.sample(30)
@pytest.mark.parametrize("path", HONEST, ids=[f"{path.parent.name}/{path.name}" for path in HONEST])
def test_nothing_is_told_of_honest_work(path: Path) -> None:
    assert None is suspects(read(path).cells, path.name)


@pytest.mark.sample(20)
@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_nothing_is_told_of_untidy_work(case: Case, put: Callable[[str, str | bytes], Path]) -> None:
    assert None is suspects(read(put(case.file, case.content())).cells, case.file)


@pytest.mark.parametrize("tried", BAN, ids=[each.name for each in BAN])
def test_a_way_around_the_ban_is_told(tried: Attack) -> None:
    assert (suspects([Cell(tried.source)], "a.py") is None) == (tried.name in BY_THE_NAME)


def test_a_string_that_looks_like_a_part_of_the_grader_is_told_by_its_beginning() -> None:
    text = suspects([Cell(f"import ctypes.{'a' * 900_000}\nx = 'grader.{'b' * 900_000}'\n")], "a.py")
    assert text is not None
    assert len(text) < 400


@pytest.mark.parametrize("source", [f"from {LONG} import {'b, ' * 2000}c\n", f"import {LONG} as x\n" + "x.a\n" * 2000])
def test_a_long_name_is_not_copied_for_each_that_follows_it(source: str) -> None:
    """A source of 1 MiB would take 100 GB."""
    tracemalloc.start()
    result = suspects([Cell(source)], "a.py"), imports([Cell(source)])
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (None, ()) == result
    assert most < 20 << 20
