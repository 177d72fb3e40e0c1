"""Each sandbox layer refuses what it is for, by the errno that is its own; without it the same thing succeeds."""

import ctypes
import os
import struct
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from grader.sandbox import SANDBOX_LAYERS, Limits, NotIsolated, Sandbox, WorkerLost, protections
from grader.worker import landlock, seccomp
from grader.worker.seccomp import ALLOW, KILL, MACHINES, REFUSE, program
from tests.grading import ROOT
from tests.sandbox_tools import LoadedWorker, alive

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the layers are Linux's")

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
def unconfined(sandbox: Sandbox) -> dict[str, str]:
    """What the same tries come to without any sandbox layer."""
    return sandbox.attempt(())


def refused(sandbox: Sandbox, layer: str, names: list[str] | tuple[str, ...], unconfined: dict[str, str]) -> set[str]:
    """How the sandbox layer, alone, refuses the things named, of those that this system allows at all."""
    possible = [name for name in names if unconfined[name] == "allowed"]
    assert possible, unconfined
    return set(sandbox.attempt((layer,), possible).values())


@pytest.mark.slow
def test_seccomp_refuses_all_but_computing(sandbox: Sandbox, unconfined: dict[str, str]) -> None:
    assert {"EPERM"} == refused(sandbox, "seccomp", SECCOMP, unconfined)
    assert {"RuntimeError"} == refused(sandbox, "seccomp", ["start a thread"], unconfined)


def test_landlock_refuses_files_and_tcp(sandbox: Sandbox, unconfined: dict[str, str]) -> None:
    assert {"EACCES"} == refused(sandbox, "landlock", LANDLOCK, unconfined)


def test_limits_refuse_written_bytes_and_endless_memory(sandbox: Sandbox, unconfined: dict[str, str]) -> None:
    assert {"EFBIG"} == refused(sandbox, "limits", ["write a file"], unconfined)
    assert {"ENOMEM"} == refused(sandbox, "limits", ["take memory without limit"], unconfined)


@root
def test_without_privileges_root_is_nobody(sandbox: Sandbox, unconfined: dict[str, str]) -> None:
    names = ("signal its parent", "read its parent's memory", "become root")
    assert {"EPERM"} == refused(sandbox, "privileges", names, unconfined)


@root
def test_who_is_not_root_and_may_have_no_process_more_cannot_fork(sandbox: Sandbox) -> None:
    assert "allowed" == sandbox.attempt(("limits",), ["fork"])["fork"]
    assert "EAGAIN" == sandbox.attempt(("limits", "privileges"), ["fork"])["fork"]


def test_behind_all_layers_nothing_gets_through(sandbox: Sandbox) -> None:
    assert [] == [name for name, outcome in sandbox.attempt().items() if outcome == "allowed"]


def test_the_protections_are_what_the_system_shows(sandbox: Sandbox) -> None:
    expected = {"process": True, "landlock": True, "seccomp": True, "limits": True, "privileges": True}
    assert expected == sandbox.protections()


@pytest.mark.slow
@pytest.mark.sample(1)
@pytest.mark.parametrize("layer", SANDBOX_LAYERS)
def test_a_layer_that_is_missing_is_missed(layer: str) -> None:
    """As on a system without it: the judge notices, whatever the worker would say."""
    if layer == "privileges" and os.geteuid() != 0:
        pytest.skip("an ordinary user has none anyway")
    with Sandbox(without=(layer,)) as sandbox:
        assert {layer} == {name for name, on in sandbox.protections().items() if not on}


@pytest.mark.slow
@pytest.mark.sample(1)
@pytest.mark.parametrize("layer", ["limits", "privileges", "seccomp"])
def test_a_layer_that_one_worker_had_not_is_off_for_all(layer: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A submission has a worker more for each crash; its report speaks of all of them."""
    readings = iter([{}, {layer: False}, {}])
    stands = dict.fromkeys(("privileges", "limits", "seccomp"), True)
    monkeypatch.setattr("grader.sandbox.sandbox.read_layers", lambda pid, zygote: stands | next(readings))
    with Sandbox() as sandbox:
        sandbox.worker().close()
        assert all(sandbox.protections().values())
        for _ in range(2):
            sandbox.worker().close()
            assert {layer} == {name for name, on in sandbox.protections().items() if not on}


def test_a_filter_of_the_system_itself_is_not_taken_for_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    """A container's own seccomp filter is on every process in it."""
    status = {"Seccomp": "2", "Seccomp_filters": "1", "NoNewPrivs": "1", "CapEff": "0"}
    monkeypatch.setattr(protections, "_status", lambda pid: status)
    assert protections.read_layers(os.getpid(), os.getpid())["seccomp"] is False


def test_a_layer_stands_before_the_submission_is_seen(sandbox: Sandbox) -> None:
    source = """
    def tried(act):
        try: act()
        except Exception as problem: return type(problem).__name__, getattr(problem, "errno", None)
    import os, socket, threading
    opened = lambda: tried(lambda: open("/etc/hostname"))
    connected = lambda: tried(socket.socket)
    forked = lambda: tried(os.fork)
    """
    with LoadedWorker(sandbox, source) as loaded:
        got = [loaded.ask("call", object=None, name=name)["value"] for name in ("opened", "connected", "forked")]
    assert [{"$tuple": ["PermissionError", 1]}] * 3 == got


@pytest.mark.slow
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
    with LoadedWorker(sandbox, source) as loaded:
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
    with LoadedWorker(sandbox, source) as loaded:
        assert {"$tuple": [["signal"], 0, "/", True]} == loaded.ask("call", object=None, name="f")["value"]


def test_the_judge_keeps_its_memory_to_itself(sandbox: Sandbox) -> None:
    get_dumpable = 3
    assert 0 == ctypes.CDLL(None).prctl(get_dumpable, 0, 0, 0, 0)


@pytest.mark.slow
def test_a_worker_that_lacks_a_required_layer_sees_no_submission(monkeypatch: pytest.MonkeyPatch) -> None:
    with Sandbox(requires_layers=True) as box:
        box.worker().close()
        started, look = list[int](), protections.read_layers
        monkeypatch.setattr(
            "grader.sandbox.sandbox.read_layers",
            lambda pid, zygote: started.append(pid) or look(pid, zygote) | {"limits": False},
        )
        with pytest.raises(NotIsolated, match=r"^Not graded: not enforced on this machine: limits\. make doctor says"):
            box.worker()
        (pid,) = started
        assert not alive(pid)
        assert not box.protections()["limits"]
        monkeypatch.undo()
        box.worker().close()


# What another layer hides on most systems, looked at where nothing hides it


root = pytest.mark.skipif(os.geteuid() != 0, reason="an ordinary user has no more to lose")


@pytest.mark.slow
def test_limits_hold_for_all_that_a_process_may_take() -> None:
    with Sandbox() as box, box.worker() as worker:
        hard = protections._limits(worker.pid)
    names = ("Max cpu time", "Max file size", "Max processes", "Max core file size", "Max open files")
    assert [str(Limits().processor_s + 1), "0", "0", "0", "32"] == [hard[name] for name in names]


@pytest.mark.slow
def test_a_worker_leads_a_session_and_a_group_of_its_own() -> None:
    """So a signal to its group means it and what it started, and Ctrl-C at the judge's terminal does not reach it."""
    with Sandbox() as box, box.worker() as worker:
        assert (worker.pid, worker.pid) == (os.getsid(worker.pid), os.getpgid(worker.pid))


@pytest.mark.slow
def test_what_the_zygote_imported_is_out_of_sight_of_a_worker_that_collects_garbage() -> None:
    """A collection takes a tenth of the time, and `gc.get_objects` shows what the worker made itself."""
    source = "import gc\nmore = gc.get_freeze_count() > 10 * len(gc.get_objects())"
    with Sandbox() as box, LoadedWorker(box, source) as loaded:
        assert loaded.ask("call", object=None, name="more")["value"]


TWO_THREADS = """
import os, threading
from grader.worker import confine, seccomp
go, told = threading.Event(), []
def other():
    go.wait()
    try:
        told.append(os.open("/", os.O_RDONLY))
    except OSError as problem:
        told.append(problem)
second = threading.Thread(target=other)
second.start()
confine.prctl(confine.PR_SET_NO_NEW_PRIVS, 1)
seccomp.install()
go.set()
second.join()
print(repr(told), flush=True)
os._exit(0)
"""


@pytest.mark.skipif(os.uname().machine not in seccomp.MACHINES, reason="there is a filter for two machines")
def test_the_filter_holds_for_threads_that_an_import_has_started() -> None:
    ran = subprocess.run([sys.executable, "-c", TWO_THREADS], cwd=ROOT, capture_output=True, text=True, check=True)
    assert "[PermissionError(1, 'Operation not permitted')]\n" == ran.stdout


@pytest.mark.slow
@pytest.mark.skipif(landlock.abi() < 3, reason="an older Landlock knows no truncating")
def test_landlock_refuses_to_cut_a_file_short(tmp_path: Path) -> None:
    (tmp_path / "kept").write_text("kept")
    source = f"import os\nos.truncate({str(tmp_path / 'kept')!r}, 0)"
    with Sandbox(without=("privileges", "limits", "seccomp")) as box, LoadedWorker(box, source) as loaded:
        assert "PermissionError" == loaded.error["type"]
    assert "kept" == (tmp_path / "kept").read_text()


@pytest.mark.slow
def test_a_worker_keeps_its_memory_to_itself() -> None:
    """Also where it is of its judge's user: a change of user would do it by itself."""
    source = "import ctypes\ndumpable = ctypes.CDLL(None).prctl(3, 0, 0, 0, 0)"
    with Sandbox(without=("privileges", "seccomp")) as box, LoadedWorker(box, source) as loaded:
        assert 0 == loaded.ask("call", object=None, name="dumpable")["value"]


KEEPS = """
import ctypes, os
from grader.worker import confine
os.setgroups([4242])
assert 0 == ctypes.CDLL(None).prctl(28, 4, 0, 0, 0)  # PR_SET_SECUREBITS: a change of user leaves capabilities alone
confine._privileges()
status = open("/proc/self/status").read().split("\\n")
print([line.split()[1:] for line in status if line.startswith(("Groups:", "CapEff:", "CapPrm:", "CapInh:"))])
"""


@root
def test_groups_and_capabilities_that_outlive_a_change_of_user_are_dropped_too() -> None:
    said = subprocess.run([sys.executable, "-c", KEEPS], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert f"{[[], *[['0' * 16]] * 3]}\n" == said


def test_who_could_not_change_its_user_and_is_still_root_has_privileges(monkeypatch: pytest.MonkeyPatch) -> None:
    """A container may know no other user: then the change is refused, and root's own files are open to it."""
    status = {"NoNewPrivs": "1", "CapEff": "0", "Uid": "0 0 0 0"}
    monkeypatch.setattr(protections, "_status", lambda pid: status)
    assert protections.read_layers(os.getpid(), os.getpid())["privileges"] is False
    status["Uid"] = "65534 65534 65534 65534"
    assert protections.read_layers(os.getpid(), os.getpid())["privileges"] is True


# The filter read as the kernel reads it: what each machine's filter says to single calls


PID = 0x1_2345
ELSEWHERE = {"x86_64": "aarch64", "aarch64": "x86_64"}
FORBIDDEN = {
    "x86_64": {"open": 2, "stat": 4, "ioctl": 16, "socket": 41, "sendmsg": 46, "clone": 56, "fork": 57, "execve": 59}
    | {
        "kill": 62,
        "ptrace": 101,
        "prctl": 157,
        "openat": 257,
        "memfd_create": 319,
        "io_uring_setup": 425,
        "clone3": 435,
    },
    "aarch64": {"ioctl": 29, "openat": 56, "socket": 198, "sendmsg": 211, "clone": 220, "execve": 221, "kill": 129}
    | {"ptrace": 117, "prctl": 167, "memfd_create": 279, "io_uring_setup": 425, "clone3": 435},
}


def decide(machine: str, number: int, *arguments: int, audit: int | None = None) -> int:
    """Runs the filter on one call (https://docs.kernel.org/networking/filter.html)."""
    data = struct.pack("IIQ6Q", number, MACHINES[machine].audit if audit is None else audit, 0, *pad(arguments))
    code = list(struct.iter_unpack("HBBI", program(MACHINES[machine], PID)))
    at, loaded = 0, 0
    while True:
        operation, yes, no, value = code[at]
        at += 1
        if operation == seccomp.LOAD:
            loaded = struct.unpack_from("I", data, value)[0]
        elif operation == seccomp.EQUAL:
            at += yes if loaded == value else no
        elif operation == seccomp.AT_LEAST:
            at += yes if loaded >= value else no
        else:
            assert operation == seccomp.RETURN
            return value


def pad(arguments: tuple[int, ...]) -> list[int]:
    return [*arguments, *[7] * (6 - len(arguments))]


@pytest.mark.parametrize("machine", MACHINES)
def test_what_is_not_on_the_list_is_refused(machine: str) -> None:
    assert dict.fromkeys(FORBIDDEN[machine], REFUSE) == {
        name: decide(machine, number) for name, number in FORBIDDEN[machine].items()
    }


@pytest.mark.parametrize("machine", MACHINES)
def test_what_is_on_the_list_passes_and_arguments_count(machine: str) -> None:
    calls = MACHINES[machine].calls
    plain = {name: number for name, number in calls.items() if name not in seccomp.conditions(PID)}
    assert dict.fromkeys(plain, ALLOW) == {name: decide(machine, number) for name, number in plain.items()}
    for name, good, bad in (
        ("tgkill", (PID, 1, 6), (PID + 1, 1, 6)),
        ("prlimit64", (0, 3, 0, 9), (0, 3, 1 << 32, 9)),
        ("prlimit64", (0, 3, 0, 9), (PID, 3, 0, 9)),
        ("sendto", (3, 9, 9, 0, 0, 0), (3, 9, 9, 0, 1 << 40, 0)),
        ("sendto", (3, 9, 9, 0, 0, 0), (3, 9, 9, 1, 0, 0)),
        ("recvfrom", (3, 9, 9, 0), (3, 9, 9, 1)),
        ("sched_getaffinity", (0, 128, 9), (PID + 1, 128, 9)),
        ("sched_getaffinity", (PID, 128, 9), (1, 128, 9)),
        ("clock_gettime", (0, 9), (~PID << 3 & 0xFFFFFFFF, 9)),  # of the process itself too: it has a number for it
        ("clock_gettime", (11, 9), (12, 9)),
        ("clock_getres", (2, 9), (~1 << 3 & 0xFFFFFFFF, 9)),
        ("clock_nanosleep", (1, 0, 9, 9), (~1 << 3 & 0xFFFFFFFF, 0, 9, 9)),
        ("futex", (9, 128 + 256 + 9, 0), (9, 128 + 6, 0)),
        ("futex", (9, 1, 0), (9, 8, 0)),
    ):
        assert (ALLOW, REFUSE) == (decide(machine, calls[name], *good), decide(machine, calls[name], *bad))


@pytest.mark.parametrize("machine", MACHINES)
def test_another_architecture_ends_the_process(machine: str) -> None:
    assert KILL == decide(machine, MACHINES[machine].calls["read"], audit=MACHINES[ELSEWHERE[machine]].audit)


def test_x32_ends_the_process() -> None:
    assert (ALLOW, KILL) == (decide("x86_64", 39), decide("x86_64", seccomp.X32 | 39))


def test_both_machines_let_the_same_calls_pass() -> None:
    assert {"time", "alarm"} == set(MACHINES["x86_64"].calls) ^ set(MACHINES["aarch64"].calls)
