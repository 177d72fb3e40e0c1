"""A bound on the time that reading takes: a file made to be slow is refused by name, and the next one is read."""

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from grader.records import GraderError

READING_S = 20.0
"""Far above what any file takes that its limits let through on a slow machine."""
AGAIN_S = 0.5


class _TooLong(BaseException):
    """No `except Exception` of a library keeps it; one that keeps all gets it again."""


class Deadline:
    """The time in which one thing that was handed in is read: from its first byte to the start of its worker.

    It runs in several stretches, as others of a stack are read in between.

    Args:
        path: what was handed in, for the message.
    """

    def __init__(self, path: Path) -> None:
        self._path, self._whole, self._left = path, READING_S, READING_S

    @contextmanager
    def runs(self) -> Iterator[None]:
        """Ends what is done meanwhile when the time is over.

        Inside of another, the outer one's time counts. Where no alarm can be set (Windows, other threads) nothing is
        ended.

        Raises:
            GraderError: it took longer, all stretches together.
        """
        can_alarm = hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()
        if not can_alarm or signal.getitimer(signal.ITIMER_REAL)[0] > 0:
            yield
            return

        def end(number: int, frame: object) -> None:
            raise _TooLong

        before, started = signal.signal(signal.SIGALRM, end), time.monotonic()
        try:
            try:
                if self._left <= 0:
                    raise _TooLong
                signal.setitimer(signal.ITIMER_REAL, self._left, AGAIN_S)
                yield
            finally:  # the last alarm may come here too
                signal.setitimer(signal.ITIMER_REAL, 0)
        except _TooLong:
            raise GraderError(
                f"{self._path} takes more than {self._whole:g} s to read: keep what the kata needs only."
            ) from None
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
            self._left -= time.monotonic() - started
