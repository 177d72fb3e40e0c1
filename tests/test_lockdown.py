"""Each wall refuses what it is for, by the errno that is its own; without it the same thing succeeds."""

import ctypes
import os
import sys
from collections.abc import Iterator

import pytest

from grader.sandbox import WALLS, Limits, NotIsolated, Sandbox, WorkerLost, protections
from tests.sandbox_tools import Loaded, alive

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the walls are Linux's")
root = pytest.mark.skipif(os.geteuid() != 0, reason="an ordinary user has no more to lose")

SECCOMP = (
    "open a file, write a file, list a folder, look whether a file exists, connect by TCP, make a UDP socket, "
    "make a unix socket, fork, run a program, signal its parent, read its parent's memory, trace its parent, "
    "make an anonymous file, use io_uring, become root, change its own protections, set a resource limit, "
    "enter a new user namespace"
).split(", ")
LANDLOCK = ("open a file", "write a file", "list a folder", "connect by TCP")


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(Limits(memory_bytes=256 << 20)) as started:
        yield started


@pytest.fixture(scope="module")
def unwalled(sandbox: Sandbox) -> dict[str, str]:
    """What the same tries come to without any wall."""
    return sandbox.attempt(())


def refused(sandbox: Sandbox, wall: str, names: list[str] | tuple[str, ...], unwalled: dict[str, str]) -> set[str]:
    """How the wall, alone, refuses the things named, of those that this system allows at all."""
    possible = [name for name in names if unwalled[name] == "allowed"]
    assert possible, unwalled
    return set(sandbox.attempt((wall,), possible).values())


def test_seccomp_refuses_all_but_computing(sandbox: Sandbox, unwalled: dict[str, str]) -> None:
    assert {"EPERM"} == refused(sandbox, "seccomp", SECCOMP, unwalled)
    assert {"RuntimeError"} == refused(sandbox, "seccomp", ["start a thread"], unwalled)


def test_landlock_refuses_files_and_tcp(sandbox: Sandbox, unwalled: dict[str, str]) -> None:
    assert {"EACCES"} == refused(sandbox, "landlock", LANDLOCK, unwalled)


def test_limits_refuse_written_bytes_and_endless_memory(sandbox: Sandbox, unwalled: dict[str, str]) -> None:
    assert {"EFBIG"} == refused(sandbox, "limits", ["write a file"], unwalled)
    assert {"ENOMEM"} == refused(sandbox, "limits", ["take memory without limit"], unwalled)


@root
def test_without_privileges_root_is_nobody(sandbox: Sandbox, unwalled: dict[str, str]) -> None:
    names = ("signal its parent", "read its parent's memory", "become root")
    assert {"EPERM"} == refused(sandbox, "privileges", names, unwalled)


@root
def test_who_is_not_root_and_may_have_no_process_more_cannot_fork(sandbox: Sandbox) -> None:
    assert "allowed" == sandbox.attempt(("limits",), ["fork"])["fork"]
    assert "EAGAIN" == sandbox.attempt(("limits", "privileges"), ["fork"])["fork"]


def test_behind_all_walls_nothing_gets_through(sandbox: Sandbox) -> None:
    assert [] == [name for name, outcome in sandbox.attempt().items() if outcome == "allowed"]


def test_the_protections_are_what_the_system_shows(sandbox: Sandbox) -> None:
    expected = {"process": True, "landlock": True, "seccomp": True, "limits": True, "privileges": True}
    assert expected == sandbox.protections()


@pytest.mark.parametrize("wall", WALLS)
def test_a_wall_that_is_missing_is_missed(wall: str) -> None:
    """As on a system without it: the judge notices, whatever the worker would say."""
    if wall == "privileges" and os.geteuid() != 0:
        pytest.skip("an ordinary user has none anyway")
    with Sandbox(without=(wall,)) as sandbox:
        assert {wall} == {name for name, on in sandbox.protections().items() if not on}


@pytest.mark.sample(1)
@pytest.mark.parametrize("wall", ["limits", "privileges", "seccomp"])
def test_a_wall_that_one_worker_had_not_is_off_for_all(wall: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A submission has a worker more for each crash; its report speaks of all of them."""
    told = iter([{}, {wall: False}, {}])
    stands = dict.fromkeys(("privileges", "limits", "seccomp"), True)
    monkeypatch.setattr("grader.sandbox.sandbox.seen", lambda pid, zygote: stands | next(told))
    with Sandbox() as sandbox:
        sandbox.worker().close()
        assert all(sandbox.protections().values())
        for _ in range(2):
            sandbox.worker().close()
            assert {wall} == {name for name, on in sandbox.protections().items() if not on}


def test_a_filter_of_the_system_itself_is_not_taken_for_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    """A container's own seccomp filter is on every process in it."""
    status = {"Seccomp": "2", "Seccomp_filters": "1", "NoNewPrivs": "1", "CapEff": "0"}
    monkeypatch.setattr(protections, "_status", lambda pid: status)
    assert protections.seen(os.getpid(), os.getpid())["seccomp"] is False


def test_a_wall_stands_before_the_submission_is_seen(sandbox: Sandbox) -> None:
    source = """
    def tried(act):
        try: act()
        except Exception as problem: return type(problem).__name__, getattr(problem, "errno", None)
    import os, socket, threading
    opened = lambda: tried(lambda: open("/etc/hostname"))
    connected = lambda: tried(socket.socket)
    forked = lambda: tried(os.fork)
    """
    with Loaded(sandbox, source) as loaded:
        got = [loaded.ask("call", object=None, name=name)["value"] for name in ("opened", "connected", "forked")]
    assert [{"$tuple": ["PermissionError", 1]}] * 3 == got


@pytest.mark.parametrize(
    ("source", "signal"),
    [
        # 39 is getpid; the bit asks for the x32 ABI, whose numbers are others.
        ("import ctypes; ctypes.CDLL(None).syscall(ctypes.c_long(0x40000000 | 39))", "SIGSYS"),
        # mov eax, 20 (getpid of i386); int 0x80; ret
        (
            "import ctypes, mmap\n"
            "page = mmap.mmap(-1, 4096, prot=7); page.write(b'\\xb8\\x14\\0\\0\\0\\xcd\\x80\\xc3')\n"
            "ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))()",
            "SIGSYS",
        ),
    ],
    ids=["x32", "i386"],
)
@pytest.mark.skipif(os.uname().machine != "x86_64", reason="x86_64 only")
def test_calls_by_another_architectures_numbers_end_the_process(sandbox: Sandbox, source: str, signal: str) -> None:
    with sandbox.worker() as worker, pytest.raises(WorkerLost, match=signal):
        worker.request({"verb": "load", "source": source, "filename": "c.py", "cell": None}, timeout=20.0)
    with Sandbox(without=("seccomp",)) as open_one, open_one.worker() as worker:
        reply = worker.request({"verb": "load", "source": source, "filename": "c.py", "cell": None}, timeout=20.0)
    assert reply.head["error"] is None


@pytest.mark.parametrize(
    "act",
    [
        "os.kill(os.getppid(), 0)",
        "signal.pthread_kill(threading.get_ident(), 0) or os.kill(os.getpid(), 0)",
        "resource.setrlimit(resource.RLIMIT_CPU, resource.getrlimit(resource.RLIMIT_CPU))",
    ],
)
def test_a_call_that_passes_with_some_arguments_is_refused_with_others(sandbox: Sandbox, act: str) -> None:
    source = f"import os, resource, signal, threading\ndef f():\n    {act}"
    with Loaded(sandbox, source) as loaded:
        problem = loaded.ask("call", object=None, name="f")["error"]
    assert "PermissionError" in problem["bases"] or "not allowed to raise maximum limit" == problem["message"]


def test_what_it_may_do_to_itself_still_works(sandbox: Sandbox) -> None:
    source = """
    import resource, signal, time, os
    seen = []
    signal.signal(signal.SIGUSR1, lambda *unused: seen.append("signal"))
    def f():
        signal.raise_signal(signal.SIGUSR1)
        time.sleep(0.001)
        return seen, resource.getrlimit(resource.RLIMIT_CORE)[0], os.getcwd(), time.process_time() > 0
    """
    with Loaded(sandbox, source) as loaded:
        assert {"$tuple": [["signal"], 0, "/", True]} == loaded.ask("call", object=None, name="f")["value"]


def test_the_judge_keeps_its_memory_to_itself(sandbox: Sandbox) -> None:
    get_dumpable = 3
    assert 0 == ctypes.CDLL(None).prctl(get_dumpable, 0, 0, 0, 0)


def test_a_worker_that_lacks_a_required_wall_sees_no_submission(monkeypatch: pytest.MonkeyPatch) -> None:
    with Sandbox(requires_walls=True) as box:
        box.worker().close()
        started, look = list[int](), protections.seen
        monkeypatch.setattr(
            "grader.sandbox.sandbox.seen",
            lambda pid, zygote: started.append(pid) or look(pid, zygote) | {"limits": False},
        )
        with pytest.raises(NotIsolated, match=r"^Not graded: not enforced on this machine: limits\. make doctor says"):
            box.worker()
        (pid,) = started
        assert not alive(pid)
        assert not box.protections()["limits"]
        monkeypatch.undo()
        box.worker().close()
