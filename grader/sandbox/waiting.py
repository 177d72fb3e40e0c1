"""How long a process has waited for a processor: time that a busy machine gave to others."""

import os
import time
from contextlib import suppress

MOST = 0.75
"""Of a process's life so much may be waiting; the rest counts, so that a deadline comes whatever the machine does."""


class Waiting:
    """The waiting of one process from now on; none where the system does not tell it (/proc, on Linux alone)."""

    def __init__(self, pid: int) -> None:
        self._file: int | None = None
        with suppress(OSError):
            self._file = os.open(f"/proc/{pid}/schedstat", os.O_RDONLY | os.O_CLOEXEC)
        self._since, self._total = time.monotonic(), 0.0
        self._before = self._told()

    def seconds(self) -> float:
        """So far; after `close`, until then."""
        return min(self._told() - self._before, MOST * (time.monotonic() - self._since))

    def close(self) -> None:
        """Takes the last count; may be called again."""
        self._told()
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def _told(self) -> float:
        """Of its first thread, as workers have no other: nanoseconds on a processor, in wait of one, and turns.

        Source: docs.kernel.org/scheduler/sched-stats.html, "/proc/<pid>/schedstat".
        """
        if self._file is not None:
            with suppress(OSError, IndexError, ValueError):  # it has ended
                self._total = int(os.pread(self._file, 96, 0).split()[1]) / 1e9
        return self._total
