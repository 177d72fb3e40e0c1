"""The Makefile, with a Python that only tells what it was given: quoting, statuses, the first set-up."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from jupyterlab.commands import get_app_dir
from jupyterlab_server.settings_utils import get_settings

ROOT = Path(__file__).resolve().parent.parent
IN_PARALLEL = ["-n", "auto", "--maxprocesses", "4", "--dist", "worksteal"]
TELL = f"""#!{sys.executable} -S
import os, sys
print(sys.argv[1:])
print("path is", "lost" if "PYTHONSAFEPATH" in os.environ else "found")
print("bytecode is", "off" if "PYTHONDONTWRITEBYTECODE" in os.environ else "on")
print("settings are in", os.environ.get("JUPYTER_CONFIG_PATH"))
sys.exit(int(os.environ.get("STATUS", 0)))
"""


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A fresh clone in a folder with a space in its name, nothing set up."""
    folder = tmp_path / "a clone"
    folder.mkdir()
    (folder / "grader" / "kit").mkdir(parents=True)
    for name in ("Makefile", "grader/kit/Makefile"):
        shutil.copy(ROOT / name, folder / name)
    (folder / "requirements.txt").write_text("")
    return folder


@pytest.fixture
def ready(clone: Path) -> Path:
    """A clone that is set up, with a Python that tells its arguments."""
    tell = clone / ".venv" / "bin" / "python"
    tell.parent.mkdir(parents=True)
    tell.write_text(TELL)
    tell.chmod(0o755)
    (clone / ".venv" / ".ready").touch()
    return clone


def make(folder: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    return subprocess.run(
        ["make", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        env={**inherited, **variables},
        timeout=120,
        check=False,
    )


def arguments_of(ran: subprocess.CompletedProcess[str]) -> str:
    return ran.stdout.splitlines()[0]


@pytest.mark.parametrize(
    "path",
    ["~/Downloads/my mha (1).ipynb", "it's.py", 'a "b".py', "cost $5 $(x) `y`.py", "a;b & c#d.py", "é.py"],
)
def test_a_path_reaches_the_grader_as_it_was_typed(ready: Path, path: str) -> None:
    ran = make(ready, "grade", f"SUBMISSION={path}")
    assert str(["-m", "grader", "grade", path]) == arguments_of(ran)
    assert (0, "") == (ran.returncode, ran.stderr)


def test_a_file_that_is_named_like_an_option_is_a_file(ready: Path) -> None:
    ran = make(ready, "grade", "SUBMISSION=--json=notes.py", "KATA=plain")
    assert str(["-m", "grader", "grade", "./--json=notes.py", "--kata", "plain"]) == arguments_of(ran)


@pytest.mark.parametrize("typed", ["SUBMISION=a file.py", "kata=plain", "JSOM="])
def test_a_variable_that_there_is_not_is_refused_by_name(ready: Path, typed: str) -> None:
    ran = make(ready, "grade", typed)
    expected = f"*** There is no variable {typed.split('=')[0]}: make help lists those that there are.  Stop."
    assert (2, "") == (ran.returncode, ran.stdout)
    assert expected in ran.stderr


@pytest.mark.parametrize("typed", ["candidate.py", "scaffold", "my%.py", "grades"])
def test_a_target_that_there_is_not_is_refused_before_anything_is_graded(ready: Path, typed: str) -> None:
    ran = make(ready, "grade", typed)
    assert (2, "") == (ran.returncode, ran.stdout)
    assert f"*** There is no target {typed}: make help lists those that there are; what to grade is" in ran.stderr
    assert f"named by KATA={typed} or SUBMISSION={typed}.  Stop." in ran.stderr


def test_every_option_reaches_the_grader(ready: Path) -> None:
    names = ("kata", "tier", "seed", "device", "reveal", "json", "junit", "html", "allow")
    ran = make(ready, "grade", *(f"{name.upper()}=a {name}" for name in names))
    options = [word for name in names for word in (f"--{name}", f"a {name}")]
    assert str(["-m", "grader", "grade", *options]) == arguments_of(ran)


@pytest.mark.parametrize("off", ["0", "no", "off", "false", ""])
def test_a_switch_may_say_that_it_is_off(ready: Path, off: str) -> None:
    assert str(["-m", "grader", "grade"]) == arguments_of(make(ready, "grade", f"EXPLAIN={off}", REVEAL=off))
    assert str(["-m", "tests.strength"]) == arguments_of(make(ready, "strength", f"ALL={off}"))
    typed = make(ready, "grade", "EXPLAIN=1", "REVEAL=all", "SEED=0", "SUBMISSION=0")
    assert str(["-m", "grader", "grade", "0", "--seed", "0", "--reveal", "all", "--explain"]) == arguments_of(typed)


def test_further_options_are_words_and_run_nothing(ready: Path) -> None:
    words = ["--memory-mib", "4096", "--require-isolation", "*", "$(touch", "x)", "`y`", ";", "~", "'a", "b'"]
    ran = make(ready, "grade", f"OPTIONS={' '.join(words)}", "KATA=a kata")
    assert str(["-m", "grader", "grade", "--kata", "a kata", *words]) == arguments_of(ran)
    assert (0, "") == (ran.returncode, ran.stderr)
    assert not (ready / "x").exists()


def test_without_options_there_are_none(ready: Path) -> None:
    assert str(["-m", "grader", "grade"]) == arguments_of(make(ready, "grade"))


@pytest.mark.parametrize(
    ("target", "arguments"),
    [
        ("kit", ["-m", "grader", "kit"]),
        ("list", ["-m", "grader", "list"]),
        ("stubs", ["-m", "grader", "stubs"]),
        ("reset", ["-m", "grader", "reset"]),
        ("watch", ["-m", "grader", "watch"]),
        ("test", ["-m", "pytest", *IN_PARALLEL, "-m", "not deep"]),
        ("test-deep", ["-m", "pytest", *IN_PARALLEL, "-m", "deep"]),
        ("check", ["-m", "tests.check"]),
        ("bench", ["-m", "tests.bench"]),
        ("strength", ["-m", "tests.strength"]),
        ("sweep", ["-m", "tests.sweep"]),
        ("readme", ["-m", "tests.readme_blocks"]),
    ],
)
def test_a_target_runs_its_command(ready: Path, target: str, arguments: list[str]) -> None:
    assert str(arguments) == arguments_of(make(ready, target))


@pytest.mark.parametrize(
    ("there", "kata", "book"),
    [(None, (), "notebooks"), ("index", (), "notebooks/index.ipynb"), ("rope", ("KATA=rope",), "notebooks/rope.ipynb")],
)
def test_jupyter_opens_the_notebook_that_is_asked_for(
    ready: Path, there: str | None, kata: tuple[str, ...], book: str
) -> None:
    (ready / "notebooks").mkdir()
    if there is not None:
        (ready / "notebooks" / f"{there}.ipynb").touch()
    ran = make(ready, "notebook", "OPTIONS=--allow-root --port 9000", *kata)
    hook = "--ContentsManager.pre_save_hook=grader.jupyter.save_hook.before_save"
    assert str(["-m", "jupyterlab", book, hook, "--allow-root", "--port", "9000"]) == arguments_of(ran)


def test_jupyter_takes_our_settings_first(ready: Path) -> None:
    ran = make(ready, "notebook", "OPTIONS=--allow-root", JUPYTER_CONFIG_PATH="/etc/mine")
    assert f"settings are in {ready / 'grader' / 'jupyter'}:/etc/mine\n" in ran.stdout


def test_jupyter_saves_each_second_so_that_an_edit_is_known(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What JupyterLab itself makes of the settings."""
    monkeypatch.setenv("JUPYTER_CONFIG_PATH", str(ROOT / "grader" / "jupyter"))
    app = Path(get_app_dir())
    plugin = "@jupyterlab/docmanager-extension:plugin"
    settings, _ = get_settings(app / "settings", app / "schemas", tmp_path, schema_name=plugin)
    assert 1 == settings["schema"]["properties"]["autosaveInterval"]["default"]


@pytest.mark.skipif(os.geteuid() != 0, reason="JupyterLab refuses root alone")
@pytest.mark.parametrize(
    ("given", "typed"),
    [
        ([], 'OPTIONS="--allow-root"'),
        (["KATA=scaffold", "OPTIONS=--port 9000"], 'KATA=scaffold OPTIONS="--allow-root --port 9000"'),
    ],
)
def test_root_is_told_what_jupyter_wants(ready: Path, given: list[str], typed: str) -> None:
    ran = make(ready, "notebook", *given)
    assert f"As root JupyterLab starts where it is told so: make notebook {typed}\n" in ran.stderr
    assert (2, "") == (ran.returncode, ran.stdout)


def test_what_strength_and_sweep_are_asked_for_reaches_them(ready: Path) -> None:
    assert str(["-m", "tests.strength", "--kata", "module", "--all"]) == arguments_of(
        make(ready, "strength", "KATA=module", "ALL=1")
    )
    ran = make(ready, "sweep", "SEEDS=9", "SHARE=1")
    assert str(["-m", "tests.sweep", "--seeds", "9", "--share", "1"]) == arguments_of(ran)


def test_the_table_is_written_after_what_it_shows(ready: Path) -> None:
    for target in ("strength", "sweep", "bench"):
        assert str(["-m", "tests.readme_blocks"]) in make(ready, target).stdout.splitlines()


def test_a_kit_is_for_a_kata_and_has_a_place(ready: Path) -> None:
    expected = ["-m", "grader", "kit", "--kata", "scaffold", "--out", "a b/kit.zip"]
    assert str(expected) == arguments_of(make(ready, "kit", "KATA=scaffold", "OUT=a b/kit.zip"))


def test_a_stack_has_two_folders_and_the_options_of_grade(ready: Path) -> None:
    ran = make(ready, "grade-all", "DIR=a b", "OUT=-c", "KATA=k", "SEED=1", "FOR=candidate", "OPTIONS=--jobs 4")
    options = ["--kata", "k", "--seed", "1", "--for", "candidate", "--jobs", "4"]
    assert str(["-m", "grader", "grade-all", "--out=-c", *options, "--", "a b"]) == arguments_of(ran)


@pytest.mark.parametrize("target", ["reset", "watch"])
def test_what_is_for_one_kata_names_it(ready: Path, target: str) -> None:
    assert str(["-m", "grader", target, "scaffold"]) == arguments_of(make(ready, target, "KATA=scaffold"))


@pytest.mark.parametrize(("status", "returned"), [("0", 0), ("1", 0), ("2", 2), ("3", 2), ("130", 2)])
def test_a_score_below_the_full_one_is_no_error_of_make(ready: Path, status: str, returned: int) -> None:
    ran = make(ready, "grade", STATUS=status)
    assert returned == ran.returncode
    assert ("" == ran.stderr) == (returned == 0)
    assert "Entering directory" not in ran.stdout


def test_compiled_files_are_kept_whatever_the_environment_says(ready: Path) -> None:
    assert "bytecode is on" in make(ready, "grade", PYTHONDONTWRITEBYTECODE="1").stdout


def test_the_grader_is_found_whatever_the_environment_says(ready: Path) -> None:
    """`-m grader` is looked for in the current folder, which this variable leaves out."""
    assert "path is found" in make(ready, "grade", PYTHONSAFEPATH="1").stdout


def test_make_alone_lists_the_targets(clone: Path) -> None:
    ran = make(clone)
    assert 0 == ran.returncode
    for target in ("grade", "kit", "list", "reset", "notebook", "stubs", "readme", "test", "bench", "clean"):
        assert f"make {target}" in ran.stdout


def test_a_python_that_is_too_old(clone: Path) -> None:
    old = clone / "python3.9"
    old.write_text('#!/bin/sh\ntest "$1" = --version && echo Python 3.9.1\nexit 1\n')
    old.chmod(0o755)
    ran = make(clone, "grade", f"PYTHON={old}")
    assert 2 == ran.returncode
    expected = f"Python 3.11 or newer is needed, and {old} is Python 3.9.1"
    assert expected in ran.stderr
    assert "Name a newer one: make grade PYTHON=python3.12" in ran.stderr
    assert not (clone / ".venv").exists()


def test_no_python_at_all(clone: Path) -> None:
    assert "and nowhere/python is missing" in make(clone, "grade", "PYTHON=nowhere/python").stderr


@pytest.mark.deep
def test_a_failed_installation_leaves_no_stamp_and_says_what_to_do(clone: Path) -> None:
    (clone / "requirements.txt").write_text("./no-such-package\n")
    ran = make(clone, "grade", f"PYTHON={sys.executable}")
    assert 2 == ran.returncode
    assert "Setting up .venv (once, 1.5 GB, a few minutes) ..." in ran.stderr
    assert "requirements.txt could not be installed: see pip's message above" in ran.stderr
    assert not (clone / ".venv" / ".ready").exists()
    (clone / "requirements.txt").write_text("")
    again = make(clone, "list", f"PYTHON={sys.executable}")
    assert (clone / ".venv" / ".ready").exists()
    assert "No module named grader" in again.stderr


@pytest.mark.parametrize(("system", "tries"), [("Linux", ["cpu", "default"]), ("Darwin", ["default"])])
def test_where_pytorch_is_looked_for(ready: Path, system: str, tries: list[str]) -> None:
    """On Linux first in PyTorch's index of CPU wheels, elsewhere only where pip looks by default."""
    (ready / "requirements.txt").write_text("numpy==1.0\ntorch==2.13.0  # why\n")
    os.utime(ready / "requirements.txt", (2**31, 2**31))
    uname = ready / "uname"
    uname.write_text(f"#!/bin/sh\necho {system}\n")
    uname.chmod(0o755)
    installs = [
        line
        for line in make(ready, "list", PATH=f"{ready}:{os.environ['PATH']}").stdout.splitlines()
        if "'install'" in line
    ]
    pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    cpu = ["--timeout", "5", "--retries", "0", "--index-url", "https://download.pytorch.org/whl/cpu", "torch==2.13.0"]
    expected = {"cpu": str([*pip, *cpu]), "default": str([*pip, "-r", "requirements.txt"])}
    assert [expected[name] for name in tries] == installs


@pytest.mark.deep
def test_an_index_of_cpu_wheels_that_does_not_answer(clone: Path) -> None:
    """One short try, a sentence, and then what pip finds by default, which here is nothing to install."""
    ran = make(clone, "list", f"PYTHON={sys.executable}", "CPU_WHEELS=file:///nowhere")
    assert "file:///nowhere gave no PyTorch: pip may now choose a build with CUDA libraries, 5 GB more." in ran.stderr
    assert (clone / ".venv" / ".ready").exists()


def test_a_new_requirement_is_installed_before_the_next_run(ready: Path) -> None:
    os.utime(ready / "requirements.txt", (2**31, 2**31))
    ran = make(ready, "list")
    assert (
        str(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", "requirements.txt"]) in ran.stdout
    )
