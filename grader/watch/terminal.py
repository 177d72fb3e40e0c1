"""The terminal: reads keys, draws screens, and is restored when all is over."""

from __future__ import annotations

import os
import re
import signal
import termios
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from types import FrameType
from typing import Any, TextIO

from grader.formats.lines import Line, in_colour

CTRL_C, CTRL_Z = "\x03", "\x1a"
UP, DOWN = "up", "down"
ARROWS = {"\x1b[A": UP, "\x1bOA": UP, "\x1b[B": DOWN, "\x1bOB": DOWN}
KEY = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|O.)|.", re.DOTALL)
"""An escape sequence that a terminal sends for a key, or a single character."""
# ENTER: the alternate screen, no cursor, lines cut off at the margin; LEAVE undoes that.
ENTER, LEAVE = "\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[2J", "\x1b[?7h\x1b[?25h\x1b[?1049l"
# Terminals that know these two show a screen when it is whole; the others ignore them.
BEGIN, END = "\x1b[?2026h", "\x1b[?2026l"
MOST_BYTES = 64


def keys_in(typed: str) -> list[str]:
    """Return the keys in what a terminal sent at once; escape sequences other than those of arrow keys are dropped."""
    keys = [ARROWS.get(key, key) for key in KEY.findall(typed)]
    return [key for key in keys if not key.startswith("\x1b")]


class Terminal:
    """A context manager; inside it the terminal is ours.

    Keys come one by one and are not shown. Ctrl-C is a key too, so that no program that started us, such as make,
    reports an interrupt.
    """

    def __init__(self, inward: TextIO, outward: TextIO) -> None:
        self._in, self._out = inward.fileno(), outward
        self._before: list[Any] = []
        self._colour = in_colour(outward)
        self._drawn = ""

    def __enter__(self) -> Terminal:
        for number in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, _stop)
        self._take()
        return self

    def __exit__(self, *unused: object) -> None:
        self._give_back()

    @property
    def size(self) -> tuple[int, int]:
        """Columns and lines."""
        return os.get_terminal_size(self._out.fileno())

    def on_resize(self, resized: Callable[[], None]) -> None:
        """Has a function called when the terminal's size has changed."""
        signal.signal(signal.SIGWINCH, lambda number, frame: resized())

    def read_keys(self) -> Iterator[str]:
        """Yields the keys as they are pressed, until the input is closed."""
        while typed := os.read(self._in, MOST_BYTES):
            yield from keys_in(typed.decode("utf-8", "ignore"))

    def suspend(self) -> None:
        """Stops us and the programs that started us (the process group), as Ctrl-Z does, until they are continued."""
        self._give_back()
        os.kill(0, signal.SIGTSTP)
        self._take()
        self._drawn = ""

    def draw(self, lines: Sequence[Line]) -> None:
        """Puts a screen in the place of the one before."""
        text = screen_text([self._styled(line) for line in lines])
        if text != self._drawn:
            self._drawn = text
            self._write(f"{BEGIN}\x1b[H{text}{END}")

    def _styled(self, line: Line) -> str:
        if not self._colour:
            return "".join(span.text for span in line)
        from rich.style import Style  # 10 ms that the other commands need not wait for

        return "".join(Style.parse(span.style).render(span.text) if span.style else span.text for span in line)

    def _take(self) -> None:
        self._before = termios.tcgetattr(self._in)
        ours = termios.tcgetattr(self._in)
        ours[3] &= ~(termios.ICANON | termios.ECHO | termios.ISIG)
        termios.tcsetattr(self._in, termios.TCSADRAIN, ours)
        self._write(ENTER)

    def _give_back(self) -> None:
        with suppress(OSError, termios.error):  # the window was closed
            self._write(LEAVE)
            termios.tcsetattr(self._in, termios.TCSAFLUSH, self._before)  # keys not read are not for the shell

    def _write(self, text: str) -> None:
        encoding = self._out.encoding or "utf-8"
        data = text.encode(encoding, "replace")
        while data:
            data = data[os.write(self._out.fileno(), data) :]


def screen_text(lines: Sequence[str]) -> str:
    """Return the text that draws the lines from the top, where each line is cleared before it is written.

    Cleared afterwards, a line as wide as the terminal would lose its last character.

    Args:
        lines: at least one, none wider than the terminal; the last also clears all below it.
    """
    *others, last = lines
    return "".join(f"\x1b[K{line}\r\n" for line in others) + f"\x1b[J{last}"


def _stop(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt
