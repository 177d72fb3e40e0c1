"""A submission that misbehaves gets a verdict and a sentence, the next worker works, and no process stays."""

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent

import pytest
import torch

from grader.records import Verdict
from grader.sandbox import Limits, Sandbox, SandboxError, WorkerLost
from tests.sandbox_tools import LoadedWorker, alive

ROOT = Path(__file__).resolve().parents[1]
linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc")


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(Limits(memory_bytes=256 << 20, output_bytes=1 << 20, output_tail=100)) as started:
        yield started


def lost(sandbox: Sandbox, source: str, timeout: float = 20.0) -> tuple[Verdict, str]:
    """How a worker is lost that runs this source."""
    with sandbox.worker() as worker, pytest.raises(WorkerLost) as caught:
        worker.request({"verb": "load", "source": dedent(source), "filename": "c.py", "cell": None}, timeout=timeout)
    assert str(caught.value) == caught.value.sentence
    assert not alive(worker.pid)
    return caught.value.verdict, caught.value.sentence


@pytest.mark.slow
def test_a_loop_is_stopped(sandbox: Sandbox) -> None:
    assert (Verdict.TIMEOUT, "took longer than 0.2 s and was stopped") == lost(sandbox, "while True: pass", 0.2)


@pytest.mark.slow
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


def test_the_time_that_is_named_may_be_longer_than_what_was_left_of_it(sandbox: Sandbox) -> None:
    with (
        LoadedWorker(sandbox, "def loop():\n    while True: pass") as loaded,
        pytest.raises(WorkerLost, match=r"than 10 s and"),
    ):
        loaded.worker.request({"verb": "call", "object": None, "name": "loop"}, timeout=0.1, budget="10 s")


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        ("import os; os._exit(0)", "ended the process with exit status 0 (os._exit or sys.exit)"),
        ("import os; os._exit(3)", "ended the process with exit status 3 (os._exit or sys.exit)"),
        ("import os; os.abort()", "was killed by signal 6 (SIGABRT)"),
        ("import ctypes; ctypes.string_at(0)", "was killed by signal 11 (SIGSEGV)"),
        ("import os; os.close(3); import time; time.sleep(60)", "closed its connection to the grader and was stopped"),
    ],
)
def test_an_end_of_the_process_is_a_crash_that_says_how(sandbox: Sandbox, source: str, sentence: str) -> None:
    assert (Verdict.CRASH, sentence) == lost(sandbox, source)


def test_to_close_all_descriptors_is_a_crash(sandbox: Sandbox) -> None:
    verdict, got = lost(sandbox, "import os; os.closerange(0, 100)")
    assert Verdict.CRASH == verdict
    # What breaks first without them is Python's affair: 3.13 aborts.
    assert got.startswith(("closed its connection", "ended the process", "was killed by signal 6"))


def test_a_kill_from_outside_is_told_as_memory(sandbox: Sandbox) -> None:
    with LoadedWorker(sandbox) as loaded:
        os.kill(loaded.worker.pid, signal.SIGKILL)
        with pytest.raises(WorkerLost) as caught:
            loaded.ask("hello")
    assert Verdict.MEMORY == caught.value.verdict
    assert "was killed by signal 9 (SIGKILL), as the system does when memory runs out" == caught.value.sentence


def test_processor_time_that_is_used_up_is_a_timeout(sandbox: Sandbox) -> None:
    """As where the judge's own clock stands still: a machine that was suspended."""
    with LoadedWorker(sandbox) as loaded:
        os.kill(loaded.worker.pid, signal.SIGXCPU)
        with pytest.raises(WorkerLost) as caught:
            loaded.ask("hello")
    assert (Verdict.TIMEOUT, "used up the 121 s of processor time that it may take") == (
        caught.value.verdict,
        caught.value.sentence,
    )


def test_sys_exit_is_an_exception_like_any_other(sandbox: Sandbox) -> None:
    with LoadedWorker(sandbox, "import sys; sys.exit(2)") as loaded:
        assert "SystemExit" == loaded.error["type"]
        assert {"ok": True, "pid": loaded.worker.pid}.items() <= loaded.ask("hello").items()


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ("b'x' * 12", "sent the grader something that is not a reply"),
        ("b'\\0\\0\\0\\1' + b'\\0' * 9", "sent the grader something that is not a reply"),
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
    with LoadedWorker(
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
    with LoadedWorker(sandbox, f"import torch\nx = {how}") as loaded:
        assert loaded.error["memory"] is True
        assert "RuntimeError" == loaded.error["type"] or "MemoryError" == loaded.error["type"]


def test_after_a_lost_worker_the_next_one_works(sandbox: Sandbox) -> None:
    lost(sandbox, "import os; os.abort()")
    with LoadedWorker(sandbox, "def double(x): return 2 * x") as loaded:
        assert [2.0, 4.0] == loaded.call("double", torch.tensor([1.0, 2.0])).tensors[0].tolist()


def test_a_lost_worker_stays_lost(sandbox: Sandbox) -> None:
    with sandbox.worker() as worker:
        for _ in range(2):
            with pytest.raises(WorkerLost, match="exit status 1"):
                worker.request({"verb": "load", "source": "import os; os._exit(1)", "filename": "c.py"}, timeout=20.0)


def test_a_request_that_the_worker_does_not_know_is_the_graders_fault(sandbox: Sandbox) -> None:
    with LoadedWorker(sandbox) as loaded, pytest.raises(SandboxError, match="refused 'dance': KeyError"):
        loaded.ask("dance")


def test_a_closed_worker_says_how_to_get_another(sandbox: Sandbox) -> None:
    with LoadedWorker(sandbox) as loaded:
        loaded.worker.close()
        with pytest.raises(SandboxError, match=r"Start another with Sandbox\.worker"):
            loaded.ask("hello")
