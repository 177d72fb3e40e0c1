"""A kata is begun as a copy of another one that passes `make check`, or is not begun and leaves nothing."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from grader.katas import DERIVED, ORDER
from grader.records import GraderError
from tests.begin import begin, copy, main, write_stubs
from tests.grading import BY_NAME, ROOT

COPIED = ("grader", "solutions", "exercises", "notebooks", "tests", "docs", "pyproject.toml", "README.md")
CHECKED = """
import json
from grader.katas import DERIVED, KATAS, ORDER
from tests import check
problems = [
    *check.no_file_is_missing_or_unknown(),
    *check.no_file_of_the_grader_is_unused(),
    *check.points_add_up(),
    *check.mistakes_are_named_apart(),
    *check.stubs_are_fresh(),
]
named = {kata.name: [kata.contract.kata, type(kata).__name__] for kata in KATAS}
print(json.dumps({"problems": problems, "order": ORDER, "derived": DERIVED, "named": named}))
"""
GRADED = """
import json, sys
from grader import Grader, Request
scores = {}
with Grader() as grader:
    for name in sys.argv[1:]:
        for report in grader.reports(Request(path=f"solutions/{name}.py", kata=name, seed=1)):
            scores[report.kata] = report.score
print(json.dumps(scores))
"""
NEW = {like: f"new_{like}" for like in ORDER}


def kind(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("_"))


def cloned(folder: Path) -> Path:
    for name in (*COPIED, "CONTRIBUTING.md", "requirements.txt", "Makefile", "LICENSE"):
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, folder / name, ignore=shutil.ignore_patterns("__pycache__", "*.bak"))
        else:
            shutil.copy(source, folder / name)
    return folder


def contents(root: Path) -> dict[Path, bytes | None]:
    """All files and folders, but for what Python keeps of them."""
    paths = [path for path in root.rglob("*") if "__pycache__" not in path.parts]
    return {path: path.read_bytes() if path.is_file() else None for path in paths}


def output_of(root: Path, program: str, *arguments: str) -> Any:
    """What a program tells that is run in a clone."""
    command = [sys.executable, "-c", program, *arguments]
    ran = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    assert not ran.returncode, ran.stderr
    return json.loads(ran.stdout)


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    return cloned(tmp_path)


@pytest.fixture(scope="module")
def copies(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A clone with a copy of each kata, whose stubs are not written yet."""
    root = cloned(tmp_path_factory.mktemp("copies"))
    for like, name in NEW.items():
        copy(name, like, root)
    return root


@pytest.mark.parametrize("like", ORDER)
def test_a_copy_has_another_name_and_is_the_same_otherwise(like: str, copies: Path) -> None:
    name = NEW[like]
    assert (copies / f"solutions/{like}.py").read_bytes() == (copies / f"solutions/{name}.py").read_bytes()
    for path in (copies / "grader" / "katas" / like).rglob("*.py"):
        text = Path(str(path).replace(f"/{like}/", f"/{name}/")).read_text()
        assert f"grader.katas.{like}." not in text
        named_back = text.replace(name, like).replace(kind(name), type(BY_NAME[like]).__name__)
        assert path.read_text() == named_back


@pytest.mark.slow
def test_the_copies_are_registered_and_complete(copies: Path) -> None:
    write_stubs(copies)
    now = output_of(copies, CHECKED)
    assert [] == now["problems"]
    assert [each for like in ORDER for each in (like, NEW[like])] == now["order"]
    assert DERIVED | {NEW[like]: base for like, base in DERIVED.items()} == now["derived"]
    assert {name: [name, kind(name)] for name in NEW.values()} == {name: now["named"][name] for name in NEW.values()}


@pytest.mark.deep
def test_the_solution_of_a_copy_is_full(copies: Path) -> None:
    assert dict.fromkeys(NEW.values(), 100) == output_of(copies, GRADED, *NEW.values())


@pytest.mark.deep
def test_what_is_written_is_told(clone: Path) -> None:
    before = contents(clone)
    written = begin("blocked_attention", "write_memory_benchmark", clone)
    changed = contents(clone).items() - before.items()
    assert {*written} == {path for path, content in changed if content is not None and path.suffix != ".bak"}


@pytest.mark.slow
def test_where_the_stubs_fail_all_is_taken_back(clone: Path) -> None:
    (clone / "exercises" / "functional.py").write_text("# a candidate's work\n")
    (clone / "notebooks" / "rope.ipynb").unlink()
    (clone / "notebooks" / "rope.ipynb").symlink_to(clone / "nowhere" / "rope.ipynb")
    before = contents(clone)
    with pytest.raises(GraderError, match=r"rope\.ipynb cannot be written"):
        begin("blocked_attention", "module", clone)
    assert before == contents(clone)


@pytest.mark.slow
def test_where_a_kata_does_not_load_all_is_taken_back(clone: Path) -> None:
    (clone / "grader" / "katas" / "module" / "public.py").write_text("CLAIMS = nowhere\n")
    before = contents(clone)
    with pytest.raises(GraderError, match="NameError: name 'nowhere' is not defined"):
        begin("blocked_attention", "module", clone)
    assert before == contents(clone)


@pytest.mark.parametrize(
    ("name", "like", "said"),
    [
        ("Blocked", "module", '"Blocked" is no name of a kata: use lower case letters, digits and _'),
        ("class", "module", '"class" is a keyword of Python, which no module can be named: choose another name'),
        ("json", "module", '"json" is a module that is there already, and exercises/json.py would hide it: choose'),
        ("torch", "module", '"torch" is a module that is there already, and exercises/torch.py would hide it: choose'),
        ("module", "scaffold", "module is there already (grader/katas/module): choose another name"),
        ("index", "scaffold", "index is there already (notebooks/index.ipynb): choose another name"),
        ("rope", "modul", 'There is no kata "modul" to begin with: use one of scaled_dot_product, '),
    ],
)
def test_a_name_that_cannot_be_used_is_refused(name: str, like: str, said: str, clone: Path) -> None:
    before = contents(clone)
    with pytest.raises(ValueError, match=re.escape(said)):
        begin(name, like, clone)
    assert before == contents(clone)


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (ValueError("choose another name"), "choose another name\n"),
        (OSError("disk full"), "rope is not begun, and what was written is taken back: disk full\n"),
    ],
)
def test_what_fails_is_told(
    error: Exception, said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("tests.begin.begin", Mock(side_effect=error))
    monkeypatch.setattr(sys, "argv", ["begin", "--name=rope"])
    assert 2 == main()
    assert said == capsys.readouterr().err
