"""Ends a worker and all that it started: done by the zygote, the parent of its workers and of every orphan."""

from __future__ import annotations

import os
import select
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

ORPHANS_S = 5.0
"""How long to go on killing processes that keep starting others."""
TICK_S = 0.001


def end(pid: int, grace_s: float, workers: set[int]) -> int | None:
    """Ends one of the workers, which is then taken out of the set.

    Args:
        pid: its process id; a process that is no worker is left alone.
        grace_s: how long it may take to end by itself.
        workers: process ids of all workers.

    Returns:
        Its own exit status (a negative signal number, or the code); None if it had to be killed, or is no worker.
    """
    if pid not in workers:
        return None
    handle = _handle(pid)
    status = _awaited(pid, handle, grace_s)
    # Until the worker is reaped, no other process can get its process id: so that comes last.
    _kill(os.killpg, pid)
    # It may not have had its own group yet.
    if handle is None:
        _kill(os.kill, pid)
    else:
        _kill(signal.pidfd_send_signal, handle)
        os.close(handle)
    os.waitpid(pid, 0)
    workers.discard(pid)
    _kill_orphans(workers)
    return status


def _handle(pid: int) -> int | None:
    """A pidfd, which names this process and no later one with the same id; None where the system gives none."""
    try:
        return os.pidfd_open(pid)
    except (AttributeError, OSError):  # a Python without the call, a kernel before 5.3, or a container that refuses it
        return None


def _awaited(pid: int, handle: int | None, grace_s: float) -> int | None:
    """The exit status of a child that has ended, or ends in that time; does not reap it."""
    if handle is not None:
        select.select([handle], [], [], grace_s)
        return _ended(pid)
    status, deadline = _ended(pid), time.monotonic() + grace_s
    while status is None and time.monotonic() < deadline:
        time.sleep(TICK_S)
        status = _ended(pid)
    return status


def _ended(pid: int) -> int | None:
    status = os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    if status is None:
        return None
    return status.si_status if status.si_code == os.CLD_EXITED else -status.si_status


def _kill(how: Callable[[int, int], None], target: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        how(target, signal.SIGKILL)


def _kill_orphans(workers: set[int]) -> None:
    """Kills what was left behind: as subreaper the zygote is the parent of every orphan."""
    deadline = time.monotonic() + ORPHANS_S
    while (orphans := _children_beside(workers)) and time.monotonic() < deadline:
        for orphan in orphans:
            _kill(os.kill, orphan)  # a child: until it is reaped, here, no other process can get its id
            os.waitpid(orphan, 0)


def _children_beside(workers: set[int]) -> list[int]:
    if not sys.platform.startswith("linux"):
        return []
    try:
        pids = list(map(int, Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()))
    except OSError:  # a kernel without that file
        pids = [int(name) for name in os.listdir("/proc") if name.isdigit()]
    return [pid for pid in pids if pid not in workers and _parent(pid) == os.getpid()]


def _parent(pid: int) -> int | None:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return None
    return int(stat.rpartition(")")[2].split()[1])  # after the name, which may hold anything
