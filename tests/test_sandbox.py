"""A submission that misbehaves gets a verdict and a sentence, the next worker works, and no process stays."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent

import pytest
import torch

from grader.records import Verdict
from grader.sandbox import WALLS, Limits, Sandbox, SandboxError, WorkerLost
from tests.sandbox_tools import Loaded, alive, eventually

ROOT = Path(__file__).resolve().parents[1]
linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc")


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(Limits(memory_bytes=256 << 20, output_bytes=1 << 20, output_tail=100)) as started:
        yield started


@pytest.fixture(scope="module")
def unwalled() -> Iterator[Sandbox]:
    """Workers that may fork, as on a system without walls."""
    with Sandbox(without=WALLS) as started:
        yield started


def lost(sandbox: Sandbox, source: str, timeout: float = 20.0) -> tuple[Verdict, str]:
    """How a worker is lost that runs this source."""
    with sandbox.worker() as worker, pytest.raises(WorkerLost) as caught:
        worker.request({"verb": "load", "source": dedent(source), "filename": "c.py", "cell": None}, timeout=timeout)
    assert str(caught.value) == caught.value.sentence
    assert not alive(worker.pid)
    return caught.value.verdict, caught.value.sentence


def test_a_loop_is_stopped(sandbox: Sandbox) -> None:
    assert (Verdict.TIMEOUT, "took longer than 0.2 s and was stopped") == lost(sandbox, "while True: pass", 0.2)


def test_a_loop_that_catches_everything_is_stopped(sandbox: Sandbox) -> None:
    source = """
    import signal
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGALRM, signal.SIGXCPU): signal.signal(number, signal.SIG_IGN)
    while True:
        try:
            while True: pass
        except BaseException: pass
    """
    assert Verdict.TIMEOUT == lost(sandbox, source, 0.2)[0]


def test_the_limit_that_is_named_may_be_larger_than_what_was_left_of_it(sandbox: Sandbox) -> None:
    with (
        Loaded(sandbox, "def loop():\n    while True: pass") as loaded,
        pytest.raises(WorkerLost, match=r"than 10 s and"),
    ):
        loaded.worker.request({"verb": "call", "object": None, "name": "loop"}, timeout=0.1, limit=10.0)


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        ("import os; os._exit(0)", "ended the process with exit status 0 (os._exit or sys.exit)"),
        ("import os; os._exit(3)", "ended the process with exit status 3 (os._exit or sys.exit)"),
        ("import os; os.abort()", "was killed by signal 6 (SIGABRT)"),
        ("import ctypes; ctypes.string_at(0)", "was killed by signal 11 (SIGSEGV)"),
        ("import os; os.close(3); import time; time.sleep(60)", "closed its connection to the grader and was stopped"),
        ("import os; os.closerange(0, 100)", "closed its connection to the grader and was stopped"),
    ],
)
def test_an_end_of_the_process_is_a_crash_that_says_how(sandbox: Sandbox, source: str, sentence: str) -> None:
    verdict, got = lost(sandbox, source)
    assert Verdict.CRASH == verdict
    if "closerange" in source:
        assert got.startswith(("closed its connection", "ended the process"))
    else:
        assert sentence == got


def test_a_kill_from_outside_is_told_as_memory(sandbox: Sandbox) -> None:
    with Loaded(sandbox) as loaded:
        os.kill(loaded.worker.pid, signal.SIGKILL)
        with pytest.raises(WorkerLost) as caught:
            loaded.ask("hello")
    assert Verdict.MEMORY == caught.value.verdict
    assert "was killed by signal 9 (SIGKILL), as the system does when memory runs out" == caught.value.sentence


def test_processor_time_that_is_used_up_is_a_timeout(sandbox: Sandbox) -> None:
    """As where the judge's own clock stands still: a machine that was suspended."""
    with Loaded(sandbox) as loaded:
        os.kill(loaded.worker.pid, signal.SIGXCPU)
        with pytest.raises(WorkerLost) as caught:
            loaded.ask("hello")
    assert (Verdict.TIMEOUT, "used up the processor time that it may take") == (
        caught.value.verdict,
        caught.value.sentence,
    )


def test_sys_exit_is_an_exception_like_any_other(sandbox: Sandbox) -> None:
    with Loaded(sandbox, "import sys; sys.exit(2)") as loaded:
        assert "SystemExit" == loaded.error["type"]
        assert {"ok": True, "pid": loaded.worker.pid}.items() <= loaded.ask("hello").items()


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ("b'x' * 12", "sent the grader something that is not a reply"),
        ("b'\\0' * 12", "sent the grader something that is not a reply"),
        ("b'\\xff' * 12", "the head would take 4294967295 bytes"),
        ("len(r).to_bytes(4) + bytes(8) + r", "sent the grader a reply that nobody asked for"),
    ],
)
def test_garbage_on_the_wire_is_a_crash(sandbox: Sandbox, data: str, words: str) -> None:
    verdict, sentence = lost(sandbox, f"import os; r = b'{{\"ok\":true}}'; os.write(3, {data})")
    assert Verdict.CRASH == verdict
    assert words in sentence


def test_a_flood_of_output_is_stopped(sandbox: Sandbox) -> None:
    expected = (Verdict.CRASH, "printed more than 1 MiB and was stopped")
    assert expected == lost(sandbox, "while True: print('x' * 1000)")


def test_output_below_the_limit_costs_nothing_and_its_tail_is_kept(sandbox: Sandbox) -> None:
    with Loaded(
        sandbox, "import sys\nfor i in range(9000): print('line', i)\nprint('error', file=sys.stderr)"
    ) as loaded:
        assert loaded.error is None
        assert loaded.worker.output().endswith("line 8998\nline 8999\nerror\n")
        assert len(loaded.worker.output()) <= 100


def test_what_was_printed_before_a_crash_can_be_read(sandbox: Sandbox) -> None:
    source = "import os; print('red'); os._exit(0)"
    with sandbox.worker() as worker, pytest.raises(WorkerLost):
        worker.request({"verb": "load", "source": source, "filename": "c.py"}, timeout=20.0)
    assert "red\n" == worker.output()


@pytest.mark.parametrize("how", ["torch.empty(1 << 30)", "[0] * (1 << 28)"])
def test_an_allocation_over_the_limit_is_reported_as_memory(sandbox: Sandbox, how: str) -> None:
    with Loaded(sandbox, f"import torch\nx = {how}") as loaded:
        assert loaded.error["memory"] is True
        assert "RuntimeError" == loaded.error["type"] or "MemoryError" == loaded.error["type"]


def test_after_a_lost_worker_the_next_one_works(sandbox: Sandbox) -> None:
    lost(sandbox, "import os; os.abort()")
    with Loaded(sandbox, "def double(x): return 2 * x") as loaded:
        assert [2.0, 4.0] == loaded.call("double", torch.tensor([1.0, 2.0])).tensors[0].tolist()


def test_a_lost_worker_stays_lost(sandbox: Sandbox) -> None:
    with sandbox.worker() as worker:
        for _ in range(2):
            with pytest.raises(WorkerLost, match="exit status 1"):
                worker.request({"verb": "load", "source": "import os; os._exit(1)", "filename": "c.py"}, timeout=20.0)


def test_two_workers_do_not_see_one_another(sandbox: Sandbox) -> None:
    with (
        Loaded(sandbox, "import torch; torch.mark = 1") as first,
        Loaded(sandbox, "import torch; torch.mark") as second,
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


@linux
@pytest.mark.parametrize(
    "source",
    [CHILD.format(detach=""), CHILD.format(detach="os.setsid()"), GRANDCHILD],
    ids=["child", "child in a session of its own", "daemon"],
)
def test_a_child_left_behind_ends_with_the_worker(unwalled: Sandbox, source: str) -> None:
    with Loaded(unwalled, source) as loaded:
        pid = loaded.ask("call", object=None, name="pid")["value"]
        assert alive(pid)
    assert not alive(pid)
    assert not alive(loaded.worker.pid)


@linux
def test_a_child_that_returns_into_the_grader_loop_leaves_quietly(unwalled: Sandbox) -> None:
    with Loaded(unwalled, "import os\npid = os.fork()") as loaded:
        pid = loaded.ask("call", object=None, name="pid")["value"]
        assert eventually(lambda: not alive(pid))
        assert loaded.ask("hello")["pid"] == loaded.worker.pid


@linux
def test_the_zygote_has_one_thread_and_a_clean_environment(sandbox: Sandbox) -> None:
    sandbox.worker().close()
    zygote = Path(f"/proc/{sandbox.zygote_pid}")
    names = {entry.split("=")[0] for entry in (zygote / "environ").read_text().split("\0") if entry}
    assert 1 == len(list((zygote / "task").iterdir()))
    assert names <= {"OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "OMP_THREAD_LIMIT", "PYTHONHASHSEED"}


@linux
def test_a_submission_finds_no_grader_no_environment_and_no_open_file(sandbox: Sandbox) -> None:
    source = """
    import os, sys
    env, argv, cwd = len(os.environ), sys.argv, os.getcwd()
    files = len([n for n in range(64) if os.path.exists(f"/dev/fd/{n}")])
    stdin = sys.stdin.read()
    paths = [p for p in sys.path if os.path.isdir(os.path.join(p, "grader"))]
    try: import grader.katas
    except ImportError: found = False
    """
    with Loaded(sandbox, source) as loaded:
        assert loaded.error is None
        got = {
            name: loaded.ask("call", object=None, name=name)["value"]
            for name in ("env", "argv", "cwd", "stdin", "paths", "found")
        }
    assert {"env": 0, "argv": [""], "cwd": "/", "stdin": "", "paths": [], "found": False} == got


@linux
def test_threads_that_a_submission_asks_for_do_not_end_it(sandbox: Sandbox) -> None:
    with Loaded(
        sandbox, "import torch; torch.set_num_threads(4); x = torch.rand(300, 300) @ torch.rand(300, 300)"
    ) as loaded:
        assert loaded.error is None


@linux
def test_a_zygote_that_was_killed_is_replaced(sandbox: Sandbox) -> None:
    with Loaded(sandbox) as loaded:
        before = sandbox.zygote_pid
        os.kill(before, signal.SIGKILL)
        assert eventually(lambda: not alive(loaded.worker.pid))
        with pytest.raises(WorkerLost, match="ended together with the grader's helper process"):
            loaded.ask("hello")
    with Loaded(sandbox) as loaded:
        assert loaded.worker.pid == loaded.ask("hello")["pid"]
    assert before != sandbox.zygote_pid


JUDGE = """
import sys, time
from grader.sandbox import Sandbox
sandbox = Sandbox(without=("privileges", "limits", "landlock", "seccomp"))
worker = sandbox.worker()
source = "import os, time\\nif os.fork() == 0:\\n    os.setsid()\\n    time.sleep(120)\\n    os._exit(0)\\n"
worker.request({"verb": "load", "source": source, "filename": "c.py"}, timeout=20)
print(sandbox.zygote_pid, worker.pid, flush=True)
time.sleep(120)
"""


@linux
def test_when_the_judge_is_killed_nothing_is_left() -> None:
    judge = subprocess.Popen([sys.executable, "-c", JUDGE], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    with judge:
        assert judge.stdout is not None
        zygote, worker = map(int, judge.stdout.readline().split())
        children = [pid for pid in descendants(zygote) if pid != worker]
        assert 2 == len(children)  # the submission's, and the canary
        judge.kill()
    assert eventually(lambda: not any(map(alive, [zygote, worker, *children])))


def descendants(pid: int) -> list[int]:
    direct = [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    return direct + [below for child in direct for below in descendants(child)]


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
    monkeypatch.setattr("grader.sandbox.zygote.PROGRAM", broken)
    with (
        Sandbox() as sandbox,
        pytest.raises(SandboxError, match=r"no torch here\. Check that this works: .* 'import torch'"),
    ):
        sandbox.worker()


def test_a_request_that_the_worker_does_not_know_is_the_graders_fault(sandbox: Sandbox) -> None:
    with Loaded(sandbox) as loaded, pytest.raises(SandboxError, match="refused 'dance': KeyError"):
        loaded.ask("dance")


def test_a_closed_worker_says_how_to_get_another(sandbox: Sandbox) -> None:
    with Loaded(sandbox) as loaded:
        loaded.worker.close()
        with pytest.raises(SandboxError, match=r"Start another with Sandbox\.worker"):
            loaded.ask("hello")


def test_nothing_stays_open_after_a_worker(sandbox: Sandbox) -> None:
    sandbox.worker().close()
    with socket.socket() as first:
        before = first.fileno()
    for _ in range(5):
        sandbox.worker().close()
    with socket.socket() as after:
        assert before == after.fileno()
