"""Zygote and workers as processes: what they find, what they leave behind, how they end and are replaced."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent

import pytest

from grader.sandbox import SANDBOX_LAYERS, Sandbox, SandboxError, WorkerLost
from tests.grading import ROOT
from tests.sandbox_tools import LoadedWorker, alive, descendants, eventually

linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc")


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox() as started:
        yield started


@pytest.fixture(scope="module")
def unconfined() -> Iterator[Sandbox]:
    """Workers that may fork, as on a system without sandbox layers."""
    with Sandbox(without=SANDBOX_LAYERS) as started:
        yield started


@pytest.mark.slow
def test_two_workers_do_not_see_one_another(sandbox: Sandbox) -> None:
    with (
        LoadedWorker(sandbox, "import torch; torch.mark = 1") as first,
        LoadedWorker(sandbox, "import torch; torch.mark") as second,
    ):
        assert first.error is None
        assert "AttributeError" == second.error["type"]


CHILD = """
import os, time
def keep():
    pid = os.fork()
    if pid: return pid
    {detach}
    time.sleep(120)
    os._exit(0)
pid = keep()
"""
GRANDCHILD = """
import os, time
def keep():
    read, write = os.pipe()
    if os.fork() == 0:
        os.setsid()
        pid = os.fork()
        if pid:
            os.write(write, str(pid).encode())
            os._exit(0)
        time.sleep(120)
        os._exit(0)
    os.wait()
    return int(os.read(read, 20))
pid = keep()
"""


@pytest.mark.slow
@linux
@pytest.mark.parametrize(
    "source",
    [CHILD.format(detach=""), CHILD.format(detach="os.setsid()"), GRANDCHILD],
    ids=["child", "child in a session of its own", "daemon"],
)
def test_a_child_left_behind_ends_with_the_worker(unconfined: Sandbox, source: str) -> None:
    with LoadedWorker(unconfined, source) as loaded:
        pid = loaded.ask("call", object=None, name="pid")["value"]
        assert alive(pid)
    assert not alive(pid)
    assert not alive(loaded.worker.pid)


@linux
def test_a_child_that_returns_into_the_grader_loop_leaves_quietly(unconfined: Sandbox) -> None:
    with LoadedWorker(unconfined, "import os\npid = os.fork()") as loaded:
        pid = loaded.ask("call", object=None, name="pid")["value"]
        assert eventually(lambda: not alive(pid))
        assert loaded.ask("hello")["pid"] == loaded.worker.pid


@linux
def test_the_zygote_has_one_thread_and_a_clean_environment(sandbox: Sandbox) -> None:
    sandbox.worker().close()
    zygote = Path(f"/proc/{sandbox.zygote_pid}")
    names = {entry.split("=")[0] for entry in (zygote / "environ").read_text().split("\0") if entry}
    assert 1 == len(list((zygote / "task").iterdir()))
    threads = {"OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "OMP_THREAD_LIMIT"}
    assert names <= threads | {"PYTHONHASHSEED", "MALLOC_MMAP_THRESHOLD_", "MALLOC_TRIM_THRESHOLD_"}


@linux
@pytest.mark.parametrize("layers", ["sandbox", "unconfined"])
def test_a_submission_finds_no_grader_no_environment_and_no_open_file(
    layers: str, request: pytest.FixtureRequest
) -> None:
    """Where no layer stands it could look for them: what it is not to find is not there, and not only out of reach."""
    source = f"""
    import errno, os, sys
    env, argv, cwd = len(os.environ), sys.argv + sys.orig_argv, os.getcwd()
    stdin = sys.stdin.read()
    paths = [p for p in sys.path if p.startswith({str(ROOT)!r}) and "site-packages" not in p]
    try: import grader.katas
    except ImportError: found = False
    def is_open(fd):
        try: return os.lseek(fd, 0, os.SEEK_CUR) >= 0
        except OSError as error: return error.errno != errno.EBADF
    open_ = [fd for fd in range(1024) if is_open(fd)]
    """
    with LoadedWorker(request.getfixturevalue(layers), source) as loaded:
        assert loaded.error is None
        open_ = [0, 1, 2, 3]  # nothing, its output, its wire
        bare = {"env": 0, "argv": [""], "cwd": "/", "stdin": "", "paths": [], "found": False, "open_": open_}
        assert bare == {name: loaded.ask("call", object=None, name=name)["value"] for name in bare}


@linux
@pytest.mark.parametrize("statement", ["torch.set_num_threads(4)", "torch._C.set_num_threads(4)"])
def test_threads_that_a_submission_asks_for_do_not_end_it(sandbox: Sandbox, statement: str) -> None:
    with LoadedWorker(sandbox, f"import torch; {statement}; x = torch.rand(40_000, 64).softmax(-1)") as loaded:
        assert loaded.error is None


@pytest.mark.slow
@linux
def test_a_zygote_that_was_killed_is_replaced(sandbox: Sandbox) -> None:
    with LoadedWorker(sandbox) as loaded:
        before = sandbox.zygote_pid
        os.kill(before, signal.SIGKILL)
        assert eventually(lambda: not alive(loaded.worker.pid))
        with pytest.raises(WorkerLost, match="ended together with the grader's helper process"):
            loaded.ask("hello")
    with LoadedWorker(sandbox) as loaded:
        assert loaded.worker.pid == loaded.ask("hello")["pid"]
    assert before != sandbox.zygote_pid


JUDGE = """
import os, sys, time
from grader.sandbox import Sandbox
sandbox = Sandbox(without=("privileges", "limits", "landlock", "seccomp"))
worker = sandbox.worker()
source = "import os, time\\nif os.fork() == 0:\\n    os.setsid()\\n    time.sleep(120)\\n    os._exit(0)\\n"
worker.request({"verb": "load", "source": source, "filename": "c.py"}, timeout=20)
if sys.argv[1] == "alone" or os.fork():
    print(sandbox.zygote_pid, worker.pid, flush=True)
time.sleep(120)
"""


@pytest.mark.slow
@pytest.mark.sample(1)
@linux
@pytest.mark.parametrize("judge_is", ["alone", "not the only one who holds its socket"])
def test_when_the_judge_is_killed_nothing_is_left(judge_is: str) -> None:
    """Where another process holds the judge's end of the control socket, the zygote sees no end of file."""
    judge = subprocess.Popen([sys.executable, "-c", JUDGE, judge_is], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    with judge:
        assert judge.stdout is not None
        zygote, worker = map(int, judge.stdout.readline().split())
        children = [pid for pid in descendants(zygote) if pid != worker]
        assert 2 == len(children)  # the submission's, and the canary
        [holder] = [pid for pid in descendants(judge.pid) if pid not in (zygote, worker, *children)] or [None]
        judge.kill()
        gone = eventually(lambda: not any(map(alive, [zygote, worker, *children])))
        if holder:
            os.kill(holder, signal.SIGKILL)
    assert gone


def test_the_sandbox_starts_without_torch_in_the_judge_and_may_be_closed_at_once() -> None:
    program = """
    import sys
    from grader.sandbox import Sandbox
    sandbox = Sandbox()
    sandbox.close()
    sandbox.close()
    assert "torch" not in sys.modules and "numpy" not in sys.modules
    """
    subprocess.run([sys.executable, "-c", dedent(program)], cwd=ROOT, check=True)


def test_a_zygote_that_cannot_start_says_what_to_try(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    broken = tmp_path / "zygote.py"
    broken.write_text("raise ImportError('no torch here')")
    monkeypatch.setattr("grader.sandbox.zygote_handle.PROGRAM", broken)
    with (
        Sandbox() as sandbox,
        pytest.raises(SandboxError, match=r"no torch here\. Check that this works: .* 'import torch'"),
    ):
        sandbox.worker()


def test_nothing_stays_open_after_a_worker(sandbox: Sandbox) -> None:
    sandbox.worker().close()
    with socket.socket() as first:
        before = first.fileno()
    for _ in range(5):
        sandbox.worker().close()
    with socket.socket() as after:
        assert before == after.fileno()


END_IN_ORDER = """
import os, signal, sys, time
from grader.worker import ending
def refused(*_): raise PermissionError
if sys.argv[1] == "refused":
    os.pidfd_open = refused
elif sys.argv[1] == "absent":
    del os.pidfd_open, signal.pidfd_send_signal
else:
    os.kill = refused
pid = os.fork()
if pid == 0:
    if sys.argv[2] == "stays":
        time.sleep(60)
    os._exit(7)
killed = []
def killpg(group, number):
    if sys.argv[2] == "leaves":
        os.waitid(os.P_PID, group, os.WEXITED | os.WNOWAIT)
    killed.append(group)
os.killpg = killpg
print(ending.end(pid, 0.05 if sys.argv[2] == "stays" else 5.0, {pid}), killed == [pid])
"""


@linux
@pytest.mark.parametrize("pidfd", ["given", "refused", "absent"])
@pytest.mark.parametrize(("does", "status"), [("leaves", 7), ("stays", None)])
def test_a_group_is_killed_before_its_process_is_reaped_and_the_number_is_free(
    pidfd: str, does: str, status: int | None
) -> None:
    command = [sys.executable, "-c", END_IN_ORDER, pidfd, does]
    ran = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False, timeout=30)
    assert (f"{status} True\n", "") == (ran.stdout, ran.stderr)
