"""How far a stack is, how fast it goes, and how long it will take."""

import time
from typing import TextIO

from grader.formats.clean import in_one_line

EACH_S = 10.0
"""Where there is no terminal a line is written after so many seconds."""
WIDEST = 110


class Pace:
    """Writes one line, which the next replaces; where there is no terminal, a line now and then.

    Args:
        stream: where it is written.
        total: submissions.
    """

    def __init__(self, stream: TextIO, total: int) -> None:
        self._stream, self._total = stream, total
        self._done = self._known = 0
        self._started = self._written = time.monotonic()

    def next(self, name: str, *, known: bool) -> None:
        """One more is done.

        Args:
            name: of the submission.
            known: whether it was graded before.
        """
        self._done += 1
        self._known += known
        now = time.monotonic()
        line = sentence(self._done, self._known, self._total, now - self._started)
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


def sentence(done: int, known: int, total: int, seconds: float) -> str:
    """`graded 12 of 300, 40 of them before; 3.4 a second, 1 min 20 s left`.

    Args:
        done: how many have a report.
        known: how many of them had it before.
        total: how many there are.
        seconds: that it took.
    """
    before = f", {known} of them before" if known else ""
    rate = (done - known) / seconds if seconds > 0 else 0.0
    if not rate:
        return f"graded {done} of {total}{before}"
    return f"graded {done} of {total}{before}; {rate:.2g} a second, {duration((total - done) / rate)} left"


def duration(seconds: float) -> str:
    """`5 s`, `1 min 20 s`, `2 h 5 min`."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"
