"""The second walls: what another wall hides on most systems, looked at where nothing hides it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from grader.sandbox import Limits, Sandbox, protections
from grader.worker import landlock, seccomp
from tests.grading import ROOT
from tests.sandbox_tools import Loaded

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the walls are Linux's")
root = pytest.mark.skipif(os.geteuid() != 0, reason="an ordinary user has no more to lose")


def test_limits_hold_for_all_that_a_process_may_take() -> None:
    with Sandbox() as box, box.worker() as worker:
        hard = protections._limits(worker.pid)
    told = ("Max cpu time", "Max file size", "Max processes", "Max core file size", "Max open files")
    assert [str(Limits().processor_s + 1), "0", "0", "0", "32"] == [hard[name] for name in told]


def test_a_worker_leads_a_session_and_a_group_of_its_own() -> None:
    """So a signal to its group means it and what it started, and Ctrl-C at the judge's terminal does not reach it."""
    with Sandbox() as box, box.worker() as worker:
        assert (worker.pid, worker.pid) == (os.getsid(worker.pid), os.getpgid(worker.pid))


def test_what_the_zygote_imported_is_out_of_sight_of_a_worker_that_collects_garbage() -> None:
    """A collection takes a tenth of the time, and `gc.get_objects` shows what the worker made itself."""
    source = "import gc\nmore = gc.get_freeze_count() > 10 * len(gc.get_objects())"
    with Sandbox() as box, Loaded(box, source) as loaded:
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


@pytest.mark.skipif(landlock.abi() < 3, reason="an older Landlock knows no truncating")
def test_landlock_refuses_to_cut_a_file_short(tmp_path: Path) -> None:
    (tmp_path / "kept").write_text("kept")
    source = f"import os\nos.truncate({str(tmp_path / 'kept')!r}, 0)"
    with Sandbox(without=("privileges", "limits", "seccomp")) as box, Loaded(box, source) as loaded:
        assert "PermissionError" == loaded.error["type"]
    assert "kept" == (tmp_path / "kept").read_text()


def test_a_worker_keeps_its_memory_to_itself() -> None:
    """Also where it is of its judge's user: a change of user would do it by itself."""
    source = "import ctypes\ndumpable = ctypes.CDLL(None).prctl(3, 0, 0, 0, 0)"
    with Sandbox(without=("privileges", "seccomp")) as box, Loaded(box, source) as loaded:
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
    assert protections.seen(os.getpid(), os.getpid())["privileges"] is False
    status["Uid"] = "65534 65534 65534 65534"
    assert protections.seen(os.getpid(), os.getpid())["privileges"] is True
