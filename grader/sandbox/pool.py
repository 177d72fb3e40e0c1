"""Workers for a system where no process may be forked once torch is imported: macOS, whose libraries break then.

Each is a process of its own that imports torch and then becomes the worker. One more is always on its way, so
that the next submission need not wait for the import.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence

from grader.sandbox.limits import Limits
from grader.sandbox.zygote_handle import ForkedWorker, ZygoteGone, ZygoteHandle


class Pool:
    """Starts and ends such workers; it is used like a `ZygoteHandle`."""

    def __init__(self) -> None:
        self._next = ZygoteHandle()
        self._workers: dict[int, ZygoteHandle] = {}

    @property
    def pid(self) -> int:
        """Process id of the workers' parent: this process."""
        return os.getpid()

    def fork(self, limits: Limits, imports: Sequence[str], without: Collection[str]) -> ForkedWorker:
        """A new worker; arguments as of `ZygoteHandle.fork`."""
        taken, self._next = self._next, ZygoteHandle()
        try:
            forked = taken.fork(limits, imports, without, become=True)
        except ZygoteGone:
            taken.close()
            raise
        self._workers[forked.pid] = taken
        return forked

    def end(self, pid: int, grace_s: float) -> int | None:
        """Ends a worker, as `ZygoteHandle.end` does; what it started ends with it if it stayed in its process group."""
        worker = self._workers.pop(pid, None)
        return None if worker is None else worker.ended(grace_s)

    def close(self) -> None:
        """Ends every process; may be called again."""
        for pid in list(self._workers):
            self.end(pid, 0.0)
        self._next.close()
