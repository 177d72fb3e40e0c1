"""How far a stack is, how fast it goes, and how long it will take."""

import time
from collections.abc import Sequence
from statistics import median
from typing import TextIO

from grader.formats.clean import in_one_line

EACH_S = 10.0
"""The least number of seconds between two lines where there is no terminal."""
WIDEST = 110


class Pace:
    """Writes one line, which the next replaces; where there is no terminal, a line now and then.

    Args:
        stream: where it is written.
        total: the number of submissions.
    """

    def __init__(self, stream: TextIO, total: int) -> None:
        self._stream, self._total = stream, total
        self._done = 0
        self._times: list[float] = []
        self._started = self._written = time.monotonic()

    def next(self, name: str, took: float | None) -> None:
        """Counts one more submission as done.

        Args:
            name: the submission's name.
            took: the seconds that it took; None: it was graded before.
        """
        self._done += 1
        self._times += [] if took is None else [took]
        now = time.monotonic()
        line = sentence(self._done, self._total, now - self._started, self._times)
        if self._stream.isatty():
            self._write("\r\x1b[K" + f"{line}: {in_one_line(name)}"[:WIDEST])
        elif now - self._written >= EACH_S or self._done == self._total:
            self._written = now
            self._write(line + "\n")

    def close(self) -> None:
        """Takes the line away."""
        if self._stream.isatty():
            self._write("\r\x1b[K")

    def _write(self, text: str) -> None:
        self._stream.write(text)
        self._stream.flush()


def sentence(done: int, total: int, seconds: float, times: Sequence[float]) -> str:
    """Return `graded 52 of 300, 40 of them before; 3.4 a second, 1 min 13 s left`.

    Args:
        done: how many have a report.
        total: how many there are.
        seconds: the seconds since the start.
        times: the seconds that each submission took that had no report before; several may run at once.
    """
    before = f", {done - len(times)} of them before" if done > len(times) else ""
    usual = median(times) if times else 0.0
    if not usual or seconds <= 0:
        return f"graded {done} of {total}{before}"
    # The rate of usual submissions: a few that hang until they are ended would be taken for the pace of all.
    rate = sum(times) / usual / seconds
    return f"graded {done} of {total}{before}; {rate:.2g} a second, {duration((total - done) / rate)} left"


def duration(seconds: float) -> str:
    """Return a duration in words: `5 s`, `1 min 20 s`, `2 h 5 min`."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"
