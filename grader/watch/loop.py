"""The event loop: keys, saves and the judge's events come in, one after the other; screens and requests go out."""

from __future__ import annotations

import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from grader.core import place, progress
from grader.core.events import Event, NamingBegan, Report
from grader.core.hints import for_tier, hinted_tier, hints
from grader.core.judge_process import JudgeProcess
from grader.core.request import Request
from grader.core.serve import Settings
from grader.records import GraderError
from grader.submission.paths import as_typed
from grader.watch.saves import saves
from grader.watch.screen import draw, most_lines, report_so_far
from grader.watch.state import State
from grader.watch.terminal import CTRL_C, CTRL_Z, DOWN, UP, Terminal

STUCK_S = 1.0
"""While a newer save waits, a judge that sends no event for so long is in a call that does not end: it is interrupted.

It is not interrupted at once, for it could be in an exchange with the processes that read files and fork workers. Where
the interrupt does not help, the judge's process is ended, and the next one imports PyTorch again.
"""
LOOK_S = 0.1
FRAME_S = 0.03
"""The least time between two screens: one for each check would take a sixth of a grading's processor time.

What the user waits for is drawn at once.
"""


class KeyPress(NamedTuple):
    """A key was pressed."""

    name: str


class ExerciseSave(NamedTuple):
    """An exercise was saved."""

    kata: str


class JudgeEvent(NamedTuple):
    """The judge sent an event."""

    event: Event


class GradingEnd(NamedTuple):
    """A grading has ended; `refusal` says why nothing could be graded, if so."""

    refusal: str | None


class Notice(NamedTuple):
    """What a key asked for is done; `words` are shown."""

    words: str


class Resize(NamedTuple):
    """The terminal has another size."""


Message = KeyPress | ExerciseSave | JudgeEvent | GradingEnd | Notice | Resize
QUIT, SUSPEND = (KeyPress("q"), KeyPress(CTRL_C)), KeyPress(CTRL_Z)


class Loop:
    """The event loop of a watch. A context manager, which ends the judge.

    Args:
        state: the state to begin with.
        folder: the folder of the exercises.
    """

    def __init__(self, state: State, folder: Path) -> None:
        self.state, self._folder = state, folder
        self._messages: queue.SimpleQueue[Message] = queue.SimpleQueue()
        self._judge = JudgeProcess()
        self._busy = self._waits = False
        """`_busy`: whether the judge is at work; `_waits`: whether a newer save waits for it."""
        self._was_reset = False
        self._drawn = 0.0
        """When the last screen was drawn."""
        self._heard: float | None = None
        """When the judge last sent an event of the current grading; None: not yet."""
        self._by_key: Mapping[str, Callable[[], None]] = {
            "h": self._hint,
            "e": self._explain,
            "n": lambda: self._step(1),
            "p": lambda: self._step(-1),
            "r": self._ask,
            DOWN: lambda: self._scroll(1),
            UP: lambda: self._scroll(-1),
        }

    def __enter__(self) -> Loop:
        return self

    def __exit__(self, *unused: object) -> None:
        self._judge.close()

    def run(self, terminal: Terminal) -> None:
        """Runs until the user quits."""
        names = [f"{kata}.py" for kata in self.state.ladder]
        _in_a_thread(lambda: saves(self._folder, names, lambda name: self.tell(ExerciseSave(Path(name).stem))))
        _in_a_thread(lambda: self._listen(terminal))
        terminal.on_resize(lambda: self.tell(Resize()))
        self._grade(self.state.kata)
        while True:
            terminal.draw(draw(self.state, *terminal.size))
            self._drawn = time.monotonic()
            for message in self._next():
                if message in QUIT:
                    return
                if message == SUSPEND:
                    terminal.suspend()
                else:
                    self.take(message)
            self.state = replace(self.state, top=min(self.state.top, most_lines(self.state, *terminal.size)))

    def tell(self, message: Message) -> None:
        """Puts a message into the queue, from whatever thread."""
        self._messages.put(message)

    def take(self, message: Message) -> None:
        """Does what a message asks for."""
        match message:
            case KeyPress(name):
                self._press(name)
            case ExerciseSave(kata) if kata == self.state.kata or not self.state.stays:
                # The notice of a reset stays on the screen when the save that the reset makes is reported.
                notice, self._was_reset = self.state.notice if self._was_reset else "", False
                self.state = replace(self.state, notice=notice, visited=False)
                self._grade(kata)
            case JudgeEvent(event):
                self._heard = time.monotonic()
                self.state = self.state if self._waits else self.state.after(event)
            case GradingEnd(refusal):
                self._end(refusal)
            case Notice(words):
                self.state = replace(self.state, notice=words)

    def _next(self) -> Iterator[Message]:
        """Yield all messages that come before the next screen, at least one; meanwhile end a judge that is stuck."""
        while True:
            try:
                first = self._messages.get(timeout=LOOK_S if self._waits else None)
                break
            except queue.Empty:
                self._end_what_is_stuck()
        yield first
        message = first
        with suppress(queue.Empty):
            while not _is_awaited(message) and (left := self._drawn + FRAME_S - time.monotonic()) > 0:
                message = self._messages.get(timeout=left)
                yield message
            while True:
                yield self._messages.get_nowait()

    def _listen(self, terminal: Terminal) -> None:
        for key in terminal.read_keys():
            self.tell(KeyPress(key))
        self.tell(KeyPress("q"))  # nobody is there any more

    # The judge

    def _grade(self, kata: str) -> None:
        self.state = (self.state if kata == self.state.kata else self.state.turned_to(kata)).saved()
        self._waits = self._busy
        if not self._busy:
            self._begin()

    def _begin(self) -> None:
        self._busy, self._heard = True, None
        state = self.state
        path = as_typed(self._folder / f"{state.kata}.py")
        request = Request(path=path, kata=state.kata, seed=state.seed, first=state.failing_tier())
        _in_a_thread(lambda: self.tell(GradingEnd(self._refusal(request))))

    def _refusal(self, request: Request) -> str | None:
        """Grade, and pass the judge's events on meanwhile; return why nothing could be graded, if so."""
        try:
            for event in self._judge.events(request, Settings()):
                self.tell(JudgeEvent(event))
        except GraderError as error:
            return str(error)
        return None

    def _end(self, refusal: str | None) -> None:
        self._busy = False
        if self._waits:
            self._waits = False
            self._begin()
            return
        kata = self.state.kata
        self.state = self.state.ended(refusal, progress.read())
        if self.state.kata != kata:
            self._grade(self.state.kata)

    def _end_what_is_stuck(self) -> None:
        silent_s = 0.0 if self._heard is None else time.monotonic() - self._heard
        if silent_s > 3 * STUCK_S:
            self._judge.close()
        elif silent_s > STUCK_S:
            self._judge.interrupt()

    # The keys

    def _press(self, name: str) -> None:
        if self.state.asks:
            self.state = replace(self.state, asks=False)
            if name == "y":
                self._reset()
        elif name in self._by_key:
            self.state = replace(self.state, notice="")
            self._by_key[name]()

    def _hint(self) -> None:
        of_kata, given = hints(self.state.kata, place.ROOT), self.state.hints
        report = report_so_far(self.state) if self.state.naming else self.state.report
        further = [hint for hint in for_tier(of_kata, hinted_tier(report)) if hint not in given][:1]
        notice = "" if further else "there is no further hint" if given else "there are no hints here"
        self.state = replace(self.state, hints=(*given, *further), notice=notice, top=sys.maxsize)  # to the hint

    def _explain(self) -> None:
        report = self.state.report
        named = report is not None and any(check.reasons for tier in report.tiers for check in tier.checks)
        notice = "" if named else "no mistake is proven here, so there is nothing to explain"
        self.state = replace(self.state, explain=self.state.explain ^ named, notice=notice)

    def _step(self, by: int) -> None:
        kata = self.state.neighbour(by)
        if kata is None:
            self.state = replace(self.state, notice=f"{self.state.kata} is the {'last' if by > 0 else 'first'} kata")
        else:
            self._grade(kata)
            self.state = replace(self.state, visited=True)

    def _ask(self) -> None:
        self.state = replace(self.state, asks=True)

    def _scroll(self, by: int) -> None:
        self.state = replace(self.state, top=max(0, self.state.top + by))

    def _reset(self) -> None:
        kata, self._was_reset = self.state.kata, True
        self.state = replace(self.state, notice=f"resetting {kata} ...", hints=())
        _in_a_thread(lambda: self.tell(Notice(reset(kata))))


def _is_awaited(message: Message) -> bool:
    """Whether the user waits for what a message brings: the effect of a key, the score, the mistakes."""
    return isinstance(message, KeyPress) or (
        isinstance(message, JudgeEvent) and isinstance(message.event, NamingBegan | Report)
    )


def reset(kata: str) -> str:
    """Has a process of its own put the pristine stub back, which takes a second to import; returns its output."""
    command = [sys.executable, "-m", "grader", "reset", kata]
    ran = subprocess.run(command, cwd=place.ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    return (ran.stdout + ran.stderr).strip()


def _in_a_thread(work: Callable[[], object]) -> None:
    """Run work in a thread that ends with the process."""
    threading.Thread(target=work, daemon=True).start()
