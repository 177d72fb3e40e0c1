"""The sandbox: one zygote, and the workers that are forked from it."""

from __future__ import annotations

import sys
from pathlib import Path
from types import TracebackType

from grader.sandbox.worker import Limits, Worker
from grader.sandbox.zygote import Zygote, ZygoteGone

HELLO_S = 20.0


class Sandbox:
    """Runs submissions in processes of their own. A context manager; not for use from two threads at once.

    The zygote starts at once and imports torch while the judge does; it is awaited on first use.
    """

    def __init__(self, limits: Limits | None = None) -> None:
        self.limits = limits or Limits()
        self._zygote = Zygote()
        self._limits_seen: bool | None = None

    def __enter__(self) -> Sandbox:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def zygote_pid(self) -> int:
        """Process id of the zygote."""
        return self._zygote.pid

    def worker(self) -> Worker:
        """A fresh worker that has seen no submission. A zygote that was killed is replaced.

        Raises:
            SandboxError: no worker can be started; the message says why.
        """
        try:
            return self._start()
        except ZygoteGone:
            self._zygote.close()
            self._zygote = Zygote()
            return self._start()

    def protections(self) -> dict[str, bool]:
        """Which protections are on, read from the system about a real worker, not from its own word."""
        if self._limits_seen is None:
            self.worker().close()
        return {"process": True, "landlock": False, "seccomp": False, "limits": bool(self._limits_seen)}

    def close(self) -> None:
        """Ends every process that was started here; may be called again."""
        self._zygote.close()

    def _start(self) -> Worker:
        worker = Worker(self._zygote.fork(self.limits.memory_bytes, self.limits.wire), self._zygote, self.limits)
        worker.request({"verb": "hello"}, timeout=HELLO_S)
        self._limits_seen = _limits_hold(worker.pid)
        return worker


def _limits_hold(pid: int) -> bool:
    """Whether memory and core files are limited and no new privileges can be had; False where it cannot be seen."""
    if not sys.platform.startswith("linux"):
        return False
    try:
        limits = Path(f"/proc/{pid}/limits").read_text().splitlines()
        status = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return False
    memory = next(line.split()[3] for line in limits if line.startswith("Max address space"))
    core = next(line.split()[4] for line in limits if line.startswith("Max core file size"))
    return memory != "unlimited" and core == "0" and "NoNewPrivs:\t1" in status
