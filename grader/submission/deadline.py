"""A bound on the time that reading takes: a file made to be slow is refused by name, and the next one is read."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from grader.records import GraderError

READING_S = 20.0
"""Far above what any file takes that its limits let through on a slow machine."""
AGAIN_S = 0.5


class _TooLong(BaseException):
    """No `except Exception` of a library keeps it; one that keeps all gets it again."""


@contextmanager
def within(seconds: float, path: Path) -> Iterator[None]:
    """Ends what is done meanwhile after so many seconds.

    Inside of another, the outer one's time counts. Where no alarm can be set (Windows, other threads) nothing is ended.

    Args:
        seconds: of wall clock.
        path: what is read, for the message.

    Raises:
        GraderError: it took longer.
    """
    can_alarm = hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()
    if not can_alarm or signal.getitimer(signal.ITIMER_REAL)[0] > 0:
        yield
        return

    def end(number: int, frame: object) -> None:
        raise _TooLong

    before = signal.signal(signal.SIGALRM, end)
    try:
        try:
            signal.setitimer(signal.ITIMER_REAL, seconds, AGAIN_S)
            yield
        finally:  # the last alarm may come here too
            signal.setitimer(signal.ITIMER_REAL, 0)
    except _TooLong:
        raise GraderError(f"{path} takes more than {seconds:g} s to read: keep what the kata needs only.") from None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
