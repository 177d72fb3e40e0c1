"""Several workers of one submission: the judge works on what one has answered while the others compute."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from queue import SimpleQueue
from threading import Lock, Thread
from types import TracebackType
from typing import Any, TypeVar

Event = TypeVar("Event")


class Cancelled(BaseException):
    """Nobody wants the rest: what is done in this thread ends here."""


class Turn:
    """One thread at a time has it and works in the judge; one that waits for its worker leaves it to the others."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._is_over = False

    def __enter__(self) -> None:
        self._lock.acquire()
        if self._is_over:
            self._lock.release()
            raise Cancelled

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._lock.release()

    @contextmanager
    def left(self) -> Iterator[None]:
        """Others may have it while this block waits."""
        self._lock.release()
        try:
            yield
        finally:
            self._lock.acquire()
        if self._is_over:
            raise Cancelled

    def end(self, stop: Callable[[], None]) -> None:
        """No thread goes on with what it does.

        Args:
            stop: ends what they wait for.
        """
        with self._lock:
            self._is_over = True
            stop()


def side_by_side(parts: Sequence[Iterable[Event]], turn: Turn, stop: Callable[[], None]) -> Iterator[Event]:
    """What all parts yield, as it comes; each runs in a thread of its own, by turns.

    Args:
        parts: each leaves the turn where it waits.
        turn: of all of them.
        stop: ends what they wait for; called at the end, also where the rest is not wanted.

    Raises:
        Exception: what one of them raised.
    """
    events: SimpleQueue[Any] = SimpleQueue()

    def work(part: Iterable[Event]) -> None:
        try:
            with turn:
                for event in part:
                    events.put((event,))
            events.put(None)
        except BaseException as problem:  # raised again where somebody reads it
            events.put(problem)

    threads = [Thread(target=work, args=(part,), daemon=True) for part in parts]
    try:
        for thread in threads:
            thread.start()
        running = len(threads)
        while running:
            message = events.get()
            if isinstance(message, BaseException):
                raise message
            if message is None:
                running -= 1
            else:
                yield message[0]
    finally:
        turn.end(stop)
        for thread in threads:
            thread.join()
