"""`python -m grader` and `make` as a person runs them: real processes, the real judge."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from grader.core import interrupts
from tests.sandbox_tools import alive, descendants, eventually

ROOT = Path(__file__).resolve().parent.parent

linux = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere no process is forked once PyTorch is imported")


def run(*command: str | Path, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, **variables}
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env=environment, timeout=120, check=False)


def grader(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return run(sys.executable, "-m", "grader", *arguments)


def test_wrong_use_ends_with_2_and_one_line() -> None:
    ran = grader("grade", "gone.py")
    assert (2, "", "gone.py does not exist: check the path.\n") == (ran.returncode, ran.stdout, ran.stderr)


def test_without_docstrings_the_repair_is_named() -> None:
    ran = run(sys.executable, "-OO", "-m", "grader", "list")
    assert (2, "") == (ran.returncode, ran.stdout)
    assert ran.stderr == (
        "Python was started with -OO or PYTHONOPTIMIZE=2, which leaves out the docstrings that checks are described "
        "by: start it without.\n"
    )


@pytest.mark.slow
def test_a_solution_reaches_its_score(tmp_path: Path) -> None:
    path = tmp_path / "my scaffold (1).py"
    shutil.copy(ROOT / "solutions" / "scaffold.py", path)
    ran = grader("grade", path, "--seed", "7", "--json", tmp_path / "r.json")
    assert (0, "") == (ran.returncode, ran.stderr)
    said = " ".join(ran.stdout.split())  # a long path wraps the line
    assert said.startswith(f"scaffold {path} seed 7 ")
    assert "graded" == json.loads((tmp_path / "r.json").read_text())["outcome"]
    assert "\x1b" not in ran.stdout


NOBODY = """
import pwd, sys

def getpwuid(number):
    raise KeyError(f"getpwuid(): uid not found: {number}")

pwd.getpwuid = getpwuid
from grader.cli import main
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.slow
def test_a_notebook_is_graded_for_a_user_without_a_name_and_a_home() -> None:
    """As in a container that is started with the number of a user."""
    command = [sys.executable, "-c", NOBODY, "grade", "notebooks/scaffold.ipynb"]
    ended = subprocess.run(
        command, cwd=ROOT, env={"PATH": os.environ["PATH"]}, capture_output=True, text=True, timeout=120, check=False
    )
    assert (1, "") == (ended.returncode, ended.stderr)


def test_an_interrupt_leaves_nothing_behind(tmp_path: Path) -> None:
    path = tmp_path / "scaffold.py"
    path.write_text("print('loading')\nwhile True: pass\n")
    started = started_with(signal.SIG_DFL, path, "--load-seconds", "300")
    wait_for_zygote(started.pid)
    children = descendants(started.pid)
    os.killpg(started.pid, signal.SIGINT)  # as a terminal does: to every process of the group
    out, err = started.communicate(timeout=120)
    assert (130, "", "") == (started.returncode, out, err)
    assert eventually(lambda: not any(map(alive, children)))


@linux
def test_the_process_that_workers_are_forked_from_knows_nothing_of_its_user(tmp_path: Path) -> None:
    """It is forked from the judge's process, once PyTorch is imported there, and before that reads what it is to do."""
    path = tmp_path / "scaffold.py"
    path.write_text("while True: pass\n")
    secret, seed = "a" + "token" * 5, "9182736455463728"
    started = subprocess.Popen(
        [sys.executable, "-m", "grader", "grade", path, "--load-seconds", "300", "--seed", seed],
        cwd=ROOT,
        env={**os.environ, "SECRET": secret},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    zygote = wait_for_zygote(started.pid)
    children = descendants(started.pid)
    known = {word: word.encode() in memory(zygote) for word in (secret, seed, "grader.katas", "torch.nn.functional")}
    files = {os.readlink(file) for file in Path(f"/proc/{zygote}/fd").iterdir()}
    started.kill()
    started.communicate(timeout=120)
    assert {secret: False, seed: False, "grader.katas": False, "torch.nn.functional": True} == known
    assert {"/dev/null", "/memfd:errors (deleted)"} == {file for file in files if not file.startswith("socket:")}
    assert eventually(lambda: not any(map(alive, children)))


@linux
def test_an_interrupt_while_pytorch_is_imported_is_quiet() -> None:
    started = started_with(signal.SIG_DFL, ROOT / "solutions" / "scaffold.py")
    assert eventually(lambda: has_pytorch(started.pid))
    os.killpg(started.pid, signal.SIGINT)
    out, err = started.communicate(timeout=120)
    assert (130, "", "") == (started.returncode, out, err)


@linux
@pytest.mark.slow
def test_a_run_in_the_background_ignores_interrupts() -> None:
    """As those that a script starts with `&`."""
    started = started_with(signal.SIG_IGN, ROOT / "solutions" / "scaffold.py")
    while started.poll() is None:
        with suppress(ProcessLookupError):
            os.killpg(started.pid, signal.SIGINT)
        time.sleep(0.02)
    started.communicate()
    assert 0 == started.returncode


def parent(pid: int) -> int:
    with suppress(OSError):  # it has ended
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    return 0


def memory(pid: int) -> bytes:
    """What a process may write to: its own memory, without what it has read from libraries."""
    parts = []
    with open(f"/proc/{pid}/mem", "rb") as file:
        for line in Path(f"/proc/{pid}/maps").read_text().splitlines():
            span, allowed = line.split()[:2]
            if allowed.startswith("rw"):
                first, end = (int(place, 16) for place in span.split("-"))
                file.seek(first)
                parts.append(file.read(end - first))
    return b"".join(parts)


def test_an_interrupt_waits_until_an_import_is_done() -> None:
    done = []
    before = signal.signal(signal.SIGINT, signal.default_int_handler)

    def imports() -> None:
        with interrupts.hold_back():
            signal.raise_signal(signal.SIGINT)
            done.append("imported")

    with pytest.raises(KeyboardInterrupt):
        imports()
    signal.signal(signal.SIGINT, before)
    assert ["imported"] == done


def started_with(interrupts: signal.Handlers, *arguments: str | Path) -> subprocess.Popen[str]:
    """A grading in a session of its own that meets interrupts so: the shell of these tests may ignore them."""
    return subprocess.Popen(
        [sys.executable, "-m", "grader", "grade", *arguments],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, interrupts) and None,  # noqa: PLW1509  # one signal is set
    )


def wait_for_zygote(pid: int) -> int:
    """The child that has imported PyTorch, once it has forked a worker."""
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        for child in descendants(pid):
            if parent(child) == pid and has_pytorch(child) and descendants(child):
                return child
        time.sleep(0.05)
    raise AssertionError("no worker was started")


def has_pytorch(pid: int) -> bool:
    try:
        return "libtorch" in Path(f"/proc/{pid}/maps").read_text()
    except OSError:  # it has ended, or has closed its memory
        return False


@pytest.mark.slow
def test_what_is_set_for_other_programs_changes_no_score(tmp_path: Path) -> None:
    """pytest's own variables, and a terminal that knows ASCII alone."""
    others = {"PYTEST_PLUGINS": "no_such_plugin", "PYTEST_ADDOPTS": "--collect-only", "PYTHONIOENCODING": "ascii"}
    path = tmp_path / "candidate.py"
    path.write_text((ROOT / "tests" / "attacks" / "control_right.py").read_text() + 'print("\\N{DEGREE SIGN}")')
    command = (sys.executable, "-m", "grader", "grade", path, "--kata", "scaled_dot_product", "--tier", "shapes")
    ran = run(*command, "--for", "interviewer", **others)
    assert (0, "") == (ran.returncode, ran.stderr)
    assert ran.stdout.endswith("\n  | ?\n")
