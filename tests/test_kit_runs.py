"""A kit at work: unpacked into an empty folder, run by its own Makefile, with nothing in the environment but PATH.

Its .venv holds what its requirements.txt brings and nothing else, as linked from this one: a kit that needs one of
the project's own tools fails here as it would at a candidate's.
"""

import io
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from importlib.metadata import distribution
from pathlib import Path

import nbformat
import pytest
from packaging.requirements import Requirement

from grader.kit import build_archive
from grader.records import Visibility
from grader.stubs.writer import notebook
from tests.grading import BY_NAME, ROOT, solution

KATAS = pytest.mark.parametrize("kata", list(BY_NAME))


def brought_by(requirements: list[str]) -> set[str]:
    """The names of what pip would install for them."""
    seen: set[tuple[str, str]] = set()
    left = [named for line in requirements for named in names_and_extras(Requirement(line))]
    while left:
        name, extra = left.pop()
        if (name, extra) not in seen:
            seen.add((name, extra))
            for needed in map(Requirement, distribution(name).requires or ()):
                if needed.marker is None or needed.marker.evaluate({"extra": extra}):
                    left += names_and_extras(needed)
    return {name for name, extra in seen}


def names_and_extras(requirement: Requirement) -> list[tuple[str, str]]:
    return [(requirement.name, extra) for extra in ("", *requirement.extras)]


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A virtual environment of what a kit's requirements.txt names."""
    folder = tmp_path_factory.mktemp("environment") / ".venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    [packages] = folder.glob("lib/python*/site-packages")
    with zipfile.ZipFile(io.BytesIO(build_archive(BY_NAME["scaffold"], ROOT))) as kit:
        lines = [line.partition("#")[0].strip() for line in kit.read("requirements.txt").decode().splitlines()]
    files = [path for name in brought_by(list(filter(None, lines))) for path in distribution(name).files or ()]
    for name in {path.parts[0] for path in files} - {"..", "__pycache__"}:
        (packages / name).symlink_to(Path(sysconfig.get_path("purelib")) / name)
    (folder / "share").symlink_to(Path(sys.prefix) / "share")  # nbconvert's templates
    return folder


@pytest.mark.deep
def test_the_environment_of_a_kit_has_none_of_our_own_tools(environment: Path) -> None:
    command = [environment / "bin" / "python", "-c", "import torch, nbformat, IPython, hypothesis"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stderr.endswith("ModuleNotFoundError: No module named 'hypothesis'\n")


@pytest.fixture
def unpacked(tmp_path: Path, environment: Path, request: pytest.FixtureRequest) -> Path:
    """The kit of the test's kata, or that of scaffold."""
    kata = request.node.callspec.params.get("kata", "scaffold") if hasattr(request.node, "callspec") else "scaffold"
    folder = tmp_path / "my kit"
    zipfile.ZipFile(io.BytesIO(build_archive(BY_NAME[kata], ROOT))).extractall(folder)
    (folder / ".venv").symlink_to(environment)
    return folder


def ran(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    """A command in the kit."""
    environment = {"PATH": os.environ["PATH"]}
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=120, check=False
    )


def make(folder: Path, *words: str) -> str:
    done = ran(folder, "make", "--old-file=.venv/.ready", *words)
    assert (0, "") == (done.returncode, done.stderr)
    return done.stdout


def solved_notebook(kata: str) -> str:
    return nbformat.writes(notebook(kata, ROOT, solved=True))


@pytest.mark.slow
@pytest.mark.sample(1)
@KATAS
def test_our_solution_scores_full_in_the_kit_and_meets_the_public_checks_alone(kata: str, unpacked: Path) -> None:
    (unpacked / "exercises" / f"{kata}.py").write_text(solution(kata))
    said = make(unpacked, "grade", "JSON=report.json")
    report = json.loads((unpacked / "report.json").read_text())
    public = [check for check in BY_NAME[kata].checks if check.visibility is Visibility.PUBLIC]
    points = sum(check.points for check in public)
    assert f"score {points} of {points}" in said
    checks = [check for tier in report["tiers"] for check in tier["checks"]]
    assert sorted((check.name, check.claim) for check in public) == sorted((c["name"], c["claim"]) for c in checks)
    assert {"public"} == {check["visibility"] for check in checks}
    assert f"this kit's checks are worth {points} of 100 points" in said


@pytest.mark.deep
def test_the_pristine_stub_is_not_written_yet(unpacked: Path) -> None:
    before = sorted(unpacked.rglob("*.py"))
    said = make(unpacked, "grade")
    assert "not written yet: begin in exercises/scaffold.py with MultiHeadAttention.__init__" in said
    assert "score 0 of " in said
    assert before == sorted(unpacked.rglob("*.py"))


@pytest.mark.slow
def test_the_notebook_is_graded_where_it_was_written_instead(unpacked: Path) -> None:
    (unpacked / "notebooks" / "scaffold.ipynb").write_text(solved_notebook("scaffold"))
    said = make(unpacked, "grade", "SEED=7")
    assert said.startswith("scaffold   notebooks/scaffold.ipynb   seed 7\n")
    assert "exercises/scaffold.py" not in said


@pytest.mark.deep
def test_both_are_graded_where_both_were_written(unpacked: Path) -> None:
    (unpacked / "notebooks" / "scaffold.ipynb").write_text(solved_notebook("scaffold"))
    begun = (unpacked / "pristine/scaffold.py").read_text().replace("raise NotImplementedError", "pass", 1)
    (unpacked / "exercises" / "scaffold.py").write_text(begun)
    said = make(unpacked, "grade", "SEED=7")
    assert ["exercises/scaffold.py", "notebooks/scaffold.ipynb"] == [
        line.split()[1] for line in said.splitlines() if "   seed 7" in line
    ]


@pytest.mark.deep
def test_a_notebook_that_was_only_run_is_no_answer(unpacked: Path) -> None:
    path = unpacked / "notebooks" / "scaffold.ipynb"
    saved = json.loads(path.read_text())
    saved["cells"][5]["execution_count"] = 3
    path.write_text(json.dumps(saved))
    assert make(unpacked, "grade").startswith("scaffold   exercises/scaffold.py")


NOTEBOOK = """
import sys
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
for cell in ("%load_ext grader.jupyter", sys.argv[1], "%grade scaffold"):
    shell.run_cell(cell, store_history=True).raise_error()
"""


@pytest.mark.deep
def test_the_last_cell_of_the_notebook_grades(unpacked: Path) -> None:
    done = ran(unpacked, ".venv/bin/python", "-c", NOTEBOOK, solution("scaffold"))
    assert "scaffold   notebook.ipynb" in done.stdout, done.stderr
    assert "PASS  nan safety" in done.stdout
    assert "FAIL" not in done.stdout


@pytest.mark.deep
def test_what_is_wrong_is_told_in_the_kit(unpacked: Path) -> None:
    wrong = solution("scaffold").replace("dim=-1).masked_fill", "dim=-2).masked_fill")
    (unpacked / "exercises" / "scaffold.py").write_text(wrong)
    said = make(unpacked, "grade", "SEED=7")
    assert "FAIL  weight sums   In self-attention the weights are non-negative and sum to 1 over the keys." in said
    assert "expected  1" in said


def test_reset_gives_the_stub_back(unpacked: Path) -> None:
    path = unpacked / "exercises" / "scaffold.py"
    path.write_text("my work\n")
    assert "is the pristine stub; the old text is in exercises/scaffold.py.1.bak\n" in make(unpacked, "reset")
    assert (unpacked / "pristine" / "scaffold.py").read_text() == path.read_text()


def test_the_help_of_a_kit_names_no_target_and_no_kata_that_it_has_not(unpacked: Path) -> None:
    said = make(unpacked, "help")
    targets = {line.split()[1] for line in said.splitlines() if line.startswith("make ")}
    assert {"grade", "watch", "doctor", "reset", "notebook", "clean"} == targets
    assert [] == [name for name in BY_NAME if name in said]  # one help for the kits of all


@pytest.mark.deep
def test_the_doctor_of_a_kit(unpacked: Path) -> None:
    done = ran(unpacked, ".venv/bin/python", "-m", "grader", "doctor")
    assert done.returncode in (0, 1), done.stderr
    assert "tried in a locked worker" in done.stdout


@pytest.mark.deep
def test_a_kit_whose_manifest_is_gone_still_grades_its_exercise(unpacked: Path) -> None:
    (unpacked / "kit.json").unlink()
    shutil.copy(ROOT / "solutions" / "scaffold.py", unpacked / "exercises")
    assert " tiers passed" in make(unpacked, "grade")


@pytest.mark.deep
def test_a_kit_whose_manifest_is_damaged(unpacked: Path) -> None:
    (unpacked / "kit.json").write_text("{}")
    done = ran(unpacked, ".venv/bin/python", "-m", "grader", "grade")
    expected = "kit.json is no manifest of a kit, or was damaged: hand in the file that was written alone.\n"
    assert (2, expected) == (done.returncode, done.stderr)
