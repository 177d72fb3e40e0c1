"""What lies beside a submission and is imported by it: told, and never read or run."""

import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from grader.submission import read_path
from tests.fakes import notebook
from tests.grading import graded, solution, submission

Put = Callable[[str, str | bytes], Path]
IMPORTS = {
    "import helper": {"helper"},
    "from helper import f, g": {"helper"},
    "def f():\n    import importlib, helper as h": {"helper"},
    "from package import f": {"package"},
    "from parts import masks": {"parts"},
    "import parts.masks as m": {"parts"},
    "from src.helper import f": {"src"},
    "from src import helper": {"src"},
    "import parts": set(),
    "import absent, src, other.helper, empty": set(),
    "from .helper import f": set(),
    "import torch, math": set(),
}
FILES = ("src/helper.py", "src/package/__init__.py", "src/parts/masks.py", "absent.py", "src/empty/data.csv")


@pytest.mark.parametrize(("source", "expected"), IMPORTS.items())
@pytest.mark.parametrize("name", ["src/candidate.py", "src/candidate.ipynb"])
def test_what_is_imported_and_lies_beside(put: Put, tmp_path: Path, name: str, source: str, expected: set[str]) -> None:
    for file in FILES:
        put(file, "def f(): raise ValueError\n")
    path = put(name, notebook(source) if name.endswith("ipynb") else source)
    [file] = read_path(path, None).files
    assert file.submission is not None
    assert expected == file.submission.beside
    packed = tmp_path / "packed.zip"
    with zipfile.ZipFile(packed, "w") as archive:
        for file in (name, *FILES):
            archive.write(tmp_path / file, file)
    [candidate] = [file.submission for file in read_path(packed, None).files if file.path == packed / name]
    assert candidate is not None
    assert expected == candidate.beside


def test_where_it_lies_beside_the_code_is_to_be_moved() -> None:
    handed = submission(f"import helper\n{solution('scaled_dot_product')}")
    report = graded("scaled_dot_product", replace(handed, beside=frozenset({"helper"})))
    assert 100 == report.score
    assert report.notes == (
        "candidate.py raised ModuleNotFoundError: No module named 'helper'; it lies beside the submission, and one "
        "file alone is graded: move its code into that (candidate.py:1 in <module>: import helper)",
    )


def test_so_it_is_where_a_check_imports_it() -> None:
    source = "def scaled_dot_product_attention(q, k, v, mask=None):\n    import helper\n"
    report = graded("scaled_dot_product", replace(submission(source), beside=frozenset({"helper"})))
    said = "raised ModuleNotFoundError: No module named 'helper'; it lies beside the submission, and one file alone is"
    assert (report.tiers[0].checks[0].got or "").startswith(said)
