"""`python -m grader` where its surroundings are odd: closed streams, folders, signals that others left ignored."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
RIGHT = ROOT / "tests" / "attacks" / "control_right.py"
GRADE = ("grade", str(RIGHT), "--kata", "scaled_dot_product", "--tier", "shapes", "--reveal", "all")
UNPRINTED = "Standard output cannot be written (No space left on device): choose another place.\n"

full = pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a file that is always full")


def run(
    *arguments: str, redirected: str = "", before: Callable[[], None] | None = None, cwd: Path = ROOT, **variables: str
) -> subprocess.CompletedProcess[str]:
    """The grader, started by a shell that closes or redirects what it is told to."""
    return subprocess.run(
        [
            "bash",
            "-c",
            f'"$@" {redirected}; exit ${{PIPESTATUS[0]}}',
            "bash",
            sys.executable,
            "-m",
            "grader",
            *arguments,
        ],
        cwd=cwd,
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        timeout=120,
        preexec_fn=before,
        check=False,
    )


@pytest.mark.slow
@pytest.mark.sample(1)
@pytest.mark.parametrize("redirected", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-", "| true"])
def test_where_nobody_reads_the_status_and_the_files_are_the_same(tmp_path: Path, redirected: str) -> None:
    """Unbuffered, so that one report meets the closed pipe as many would."""
    path = tmp_path / "r.json"
    ran = run(*GRADE, "--json", str(path), redirected=redirected, PYTHONUNBUFFERED="1")
    assert (0, "") == (ran.returncode, ran.stderr)
    assert "graded" == json.loads(path.read_text())["outcome"]


@pytest.mark.slow
@full
def test_a_report_that_cannot_be_printed_says_so_and_is_written(tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    ran = run(*GRADE, "--json", str(path), redirected="> /dev/full")
    assert (2, UNPRINTED) == (ran.returncode, ran.stderr)
    assert "graded" == json.loads(path.read_text())["outcome"]


@pytest.mark.slow
@pytest.mark.sample(1)
@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("command", ["list", "doctor"])
@full
def test_no_command_succeeds_where_it_cannot_print(command: str, unbuffered: str) -> None:
    ran = run(command, redirected="> /dev/full", PYTHONUNBUFFERED=unbuffered)
    assert (2, UNPRINTED) == (ran.returncode, ran.stderr)


@pytest.mark.parametrize("redirected", ["2>&1 >&- | true", pytest.param("2> /dev/full", marks=full)])
def test_where_nobody_reads_what_is_wrong_the_status_tells_it(redirected: str) -> None:
    ran = run("grade", "gone.py", redirected=redirected)
    assert (2, "", "") == (ran.returncode, ran.stdout, ran.stderr)


@pytest.mark.deep
def test_children_are_waited_for_where_the_caller_left_them_ignored() -> None:
    """As some runners do; it is inherited."""
    ran = run(*GRADE, before=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN) and None)
    assert (0, "") == (ran.returncode, ran.stderr)


def test_a_current_folder_that_is_gone(tmp_path: Path) -> None:
    command = ["bash", "-c", 'cd "$1"; rmdir "$1"; PYTHONPATH="$2" "$3" -m grader list']
    ran = subprocess.run(
        [*command, "bash", tmp_path, ROOT, sys.executable], capture_output=True, text=True, timeout=120, check=False
    )
    said = "The current folder is gone: change to one that exists.\n"
    assert (2, "", said) == (ran.returncode, ran.stdout, ran.stderr)


@pytest.mark.slow
@pytest.mark.sample(1)
@pytest.mark.parametrize("name", ["katas [1]", "a::b", "nl\n50%"])
def test_the_repository_may_lie_in_a_folder_of_any_name(tmp_path: Path, name: str) -> None:
    """As a browser names a second download."""
    (tmp_path / name).mkdir()
    (tmp_path / name / "grader").symlink_to(ROOT / "grader")
    ran = run(*GRADE, cwd=tmp_path / name)
    assert (0, "") == (ran.returncode, ran.stderr)
    assert "1 of 1 tiers passed" in ran.stdout


INTERRUPTED = """
import sys

class Finder:
    def find_spec(self, name, path, target=None):
        if name == "grader.cli":
            raise KeyboardInterrupt

sys.meta_path.insert(0, Finder())
from grader.__main__ import run
run()
"""


def test_an_interrupt_while_it_starts_is_quiet() -> None:
    ran = subprocess.run(
        [sys.executable, "-c", INTERRUPTED], cwd=ROOT, capture_output=True, text=True, timeout=120, check=False
    )
    assert (130, "", "") == (ran.returncode, ran.stdout, ran.stderr)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a temporary file is needed")
def test_no_folder_need_be_writable() -> None:
    """As in a container that is read-only."""
    nowhere = "import sys, tempfile; tempfile._candidate_tempdir_list = list; from grader import __main__ as command"
    command = [sys.executable, "-c", f"{nowhere}; command.main(sys.argv[1:])", *GRADE]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    assert (0, "") == (ran.returncode, ran.stderr)
