"""How long processes have waited for a processor: time that a busy machine gave to others."""

import os
import time
from contextlib import suppress

EVERY_S = 0.02
"""How old a count may be, in seconds: reading it takes as long as a small call."""
MOST = 0.75
"""The share of elapsed time that may count as waiting; thanks to the rest a deadline comes on any machine."""


class Waiting:
    """The time that processes together wait for a processor from now on; 0 where the system, unlike Linux, hides it."""

    def __init__(self, *pids: int) -> None:
        self._files: list[int] = []
        for pid in pids:
            with suppress(OSError):
                self._files.append(os.open(f"/proc/{pid}/schedstat", os.O_RDONLY | os.O_CLOEXEC))
        self._since, self._totals = time.monotonic(), [0.0 for _ in self._files]
        self._before, self._read_at = self._read(), self._since

    def seconds(self) -> float:
        """The seconds waited so far, but for the last moments; after `close`, the seconds waited until then."""
        now = time.monotonic()
        if now - self._read_at > EVERY_S:
            self._read_at = now
            self._read()
        return min(sum(self._totals) - self._before, MOST * (now - self._since))

    def close(self) -> None:
        """Takes the last count; may be called again."""
        self._read()
        for file in self._files:
            os.close(file)
        self._files.clear()

    def _read(self) -> float:
        """Reads the waiting time of the first thread of each process, and returns the sum in seconds.

        The file gives nanoseconds on a processor, nanoseconds waiting for one, and turns.

        Source: docs.kernel.org/scheduler/sched-stats.html, "/proc/<pid>/schedstat".
        """
        for place, file in enumerate(self._files):
            with suppress(OSError, IndexError, ValueError):  # it has ended
                self._totals[place] = int(os.pread(file, 96, 0).split()[1]) / 1e9
        return sum(self._totals)
