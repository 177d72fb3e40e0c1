"""The judge's handle on one worker: a request and its reply, the time, the output, and the end."""

from __future__ import annotations

import os
import select
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from grader import wire
from grader.records import Verdict
from grader.sandbox.limits import Limits
from grader.sandbox.pool import Pool
from grader.sandbox.waiting import Waiting
from grader.sandbox.zygote_handle import ForkedWorker, SandboxError, ZygoteGone, ZygoteHandle

if TYPE_CHECKING:
    import torch

Answer = Callable[[dict[str, Any], list["torch.Tensor"]], tuple[dict[str, Any], list["torch.Tensor"]]]
"""Answers a worker's question for the judge; question and answer are a head and tensors."""
MOST_ASKED = 10_000
"""How many questions a worker may send before one reply."""
READ_AT_ONCE = 1 << 16
"""How many bytes are read at once: enough for most replies in one piece."""
OWN_END_S = 1.0
"""How many seconds a worker's process may take to end after its socket closed."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What the worker answered; no value in it is to be trusted."""

    head: dict[str, Any]
    tensors: list[torch.Tensor]


class Exchange(NamedTuple):
    """One message to the worker, as it was sent, and the digest of its reply."""

    message: bytes
    reply: bytes


class WorkerLost(Exception):
    """The worker is no more: it took too long, ended, or broke the rules of the wire.

    Args:
        verdict: for the check or the load in which it was lost.
        sentence: begins with a verb; its subject is the submission: `took longer than 10 s and was stopped`.
        began: the number that the worker noted last in its last request; it may be any number.
    """

    def __init__(self, verdict: Verdict, sentence: str, began: int = 0) -> None:
        super().__init__(sentence)
        self.verdict = verdict
        self.began = began
        self.sentence = sentence


class WorkerHandle:
    """One submission's process. Not for use from two threads at once.

    Args:
        forked: its process, as the zygote gave it.
        zygote: ends the process.
        limits: what the submission may take.
    """

    def __init__(self, forked: ForkedWorker, zygote: ZygoteHandle | Pool, limits: Limits) -> None:
        self.pid = forked.pid
        self.forked_at = time.monotonic()
        self._connection = forked.connection
        self._connection.setblocking(False)
        self._output = forked.output
        os.set_blocking(self._output, False)
        self._notes = forked.notes
        self._poll = select.poll()
        self._poll.register(self._output, select.POLLIN)
        self._zygote = zygote
        self._limits, self._of_requests = limits, limits.wire.of_requests
        self._waiting = Waiting(self.pid, threading.get_native_id())
        self._arrived = bytearray()
        """Bytes of a reply that have arrived and are not read yet."""
        self._tail = bytearray()
        self._printed = 0
        self._requests = 0
        """How many requests the current task has made."""
        self._heard = deque[wire.RawFrame]()
        """Replies to the next requests, which `repeat` has sent already."""
        self.exchanges: list[Exchange] | None = []
        """The requests of the current task; None: the worker asked something in between, so they cannot be repeated."""
        self._lost: WorkerLost | None = None
        self._closed = False

    def __enter__(self) -> WorkerHandle:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def request(
        self,
        head: dict[str, Any],
        tensors: Sequence[torch.Tensor] = (),
        *,
        timeout: float,
        budget: str | None = None,
        called_back: Answer | None = None,
        meanwhile: Callable[[], None] | None = None,
    ) -> Reply:
        """Sends one request and waits for its reply, while what the submission prints is read and kept.

        Args:
            head: `verb` and what the verb takes (grader/worker/host.py lists them).
            tensors: those that the head refers to by index.
            timeout: seconds for all of it, less those that it waits for a processor.
            budget: the time to name in the message, such as `10 s`, if `timeout` is only what is left of it.
            called_back: answers what the worker asks before its reply; None: it may ask nothing.
            meanwhile: what to do while the worker computes.

        Raises:
            WorkerLost: the worker was lost, now or in an earlier request; a new one can be started.
            SandboxError: the worker calls the request wrong: a fault of the grader, or a submission that forged it.
            wire.WireError: the request itself cannot be sent.
        """
        self._requests += 1
        message = wire.encode({**head, "request": self._requests}, tensors, self._of_requests)
        with self._in_time(timeout, budget) as deadline:
            raw = self._heard.popleft() if self._heard else self._answer(message, deadline, meanwhile)
            if self.exchanges is not None:
                self.exchanges.append(Exchange(message, raw.digest()))
            frame = self._reply(raw, deadline, called_back)
        if frame.head.get("request") != self._requests or type(frame.head.get("ok")) is not bool:
            self._lose(Verdict.CRASH, "sent the grader a reply that nobody asked for and was stopped")
        if not frame.head["ok"]:
            raise SandboxError(f"The worker refused {head.get('verb')!r}: {frame.head.get('error')}")
        return Reply(frame.head, frame.tensors)

    def repeat(self, message: bytes, *, timeout: float, budget: str | None = None) -> bytes:
        """Sends a message of an earlier task again, and returns the digest of its reply.

        The requests of a task are repeated in order, from the first on. Where the task goes on with `request`, the
        same requests are not sent again but get these replies.

        Args:
            message: as it was sent.
            timeout: as in `request`.
            budget: as in `request`.

        Raises:
            WorkerLost: the worker was lost; the request that gets no reply raises it again.
        """
        with self._in_time(timeout, budget) as deadline:
            raw = self._answer(message, deadline)
        self._heard.append(raw)
        return raw.digest()

    @contextmanager
    def _in_time(self, timeout: float, budget: str | None) -> Iterator[float]:
        """Gives the deadline of one request to a block, and reads the rest of what was printed in it."""
        deadline = self._now() + timeout
        try:
            yield deadline
            self._drain()
        except _Flood:
            size = _size(self._limits.output_bytes)
            self._lose(Verdict.CRASH, f"printed more than {size} and was stopped")
        except wire.WireTimeout:
            self._lose(Verdict.TIMEOUT, f"took longer than {budget or f'{timeout:g} s'} and was stopped")
        except wire.WireClosed:
            self._lose(*self._how_it_ended())
        except wire.WireError as problem:
            self._lose(Verdict.CRASH, f"sent the grader something that is not a reply ({problem}) and was stopped")

    def _answer(self, message: bytes, deadline: float, meanwhile: Callable[[], None] | None = None) -> wire.RawFrame:
        """The first that comes back after a message: its reply, or a question."""
        if self._lost is not None:
            raise self._lost
        if self._closed:
            raise SandboxError("This worker is closed. Start another with Sandbox.worker().")
        wire.NOTE.pack_into(self._notes, 0, 0)
        self._send(message, deadline)
        if meanwhile is not None:
            meanwhile()
        return self._frame(deadline)

    def _reply(self, raw: wire.RawFrame, deadline: float, called_back: Answer | None) -> wire.Frame:
        """The reply itself, from the first frame on; the questions that come before it are answered."""
        for _ in range(MOST_ASKED):
            frame = wire.parse(raw, self._limits.wire)
            if called_back is None or frame.head.get("asks") is not True:
                return frame
            self.exchanges = None
            answer = self._answer_to(frame, called_back)
            self._send(wire.encode(*answer, self._of_requests), deadline)
            raw = self._frame(deadline)
        raise wire.WireError(f"more than {MOST_ASKED} questions")

    def _frame(self, deadline: float) -> wire.RawFrame:
        return wire.receive(lambda count: self._read(count, deadline), self._limits.wire)

    def _answer_to(self, frame: wire.Frame, called_back: Answer) -> tuple[dict[str, Any], list[torch.Tensor]]:
        try:
            return called_back(frame.head, frame.tensors)
        except (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError) as problem:
            raise wire.WireError("a question of no known kind") from problem

    def goes_on_in_a_copy(self) -> None:
        """From now on the waits of this process count: it is a forked copy of the one in which the handle was made."""
        self._waiting.close()
        self._waiting = Waiting(self.pid, threading.get_native_id())

    def begin(self) -> None:
        """Begins a task: its requests are counted from 1, and `output_bytes` may be printed from here on."""
        self._printed = self._requests = 0
        self._heard.clear()
        self.exchanges = []

    def forget_output(self) -> None:
        """Drops what was printed so far."""
        self._tail.clear()

    @property
    def printed(self) -> int:
        """How many bytes were printed since `begin`."""
        return self._printed

    def output(self, count: int = 0) -> str:
        """The last of what the submission printed, standard output and standard error in order; not made harmless.

        Args:
            count: how many bytes of it; 0: all that is kept.
        """
        return self._tail[-count:].decode("utf-8", "replace")

    def seconds_waited(self) -> float:
        """Seconds for which the worker or the judge waited for a processor: they are no fault of the submission."""
        return self._waiting.seconds()

    def close(self) -> None:
        """Ends the process and all that it started; may be called again."""
        if self._closed:
            return
        self._waiting.close()
        with suppress(ZygoteGone):  # then the worker ended with it
            self._zygote.end(self.pid, 0.0)
        self._release()

    def _now(self) -> float:
        return time.monotonic() - self.seconds_waited()

    def _lose(self, verdict: Verdict, sentence: str) -> NoReturn:
        self.close()
        self._lost = WorkerLost(verdict, sentence, *wire.NOTE.unpack_from(self._notes))
        raise self._lost

    def _release(self) -> None:
        self._closed = True
        with suppress(_Flood):  # it is over anyway
            self._drain()
        self._connection.close()
        os.close(self._output)

    def _how_it_ended(self) -> tuple[Verdict, str]:
        try:
            status = self._zygote.end(self.pid, OWN_END_S)
        except ZygoteGone:
            return Verdict.CRASH, "ended together with the grader's helper process"
        if status is None:
            return Verdict.CRASH, "closed its connection to the grader and was stopped"
        if status == wire.OUT_OF_MEMORY:
            mib = self._limits.memory_bytes >> 20
            return Verdict.MEMORY, f"ran out of memory ({mib} MiB are allowed beyond PyTorch's own)"
        if status >= 0:
            return Verdict.CRASH, f"ended the process with exit status {status} (os._exit or sys.exit)"
        sentence = f"was killed by signal {-status} ({_signal_name(-status)})"
        if status == -signal.SIGXCPU:
            return Verdict.TIMEOUT, f"used up the {self._limits.processor_s} s of processor time that it may take"
        if status == -signal.SIGKILL:  # not by us: then `end` gives no status
            return Verdict.MEMORY, f"{sentence}, as the system does when memory runs out"
        return Verdict.CRASH, sentence

    def _send(self, message: bytes, deadline: float) -> None:
        view = memoryview(message)
        while view:
            try:
                view = view[self._connection.send(view) :]
            except BlockingIOError:
                self._wait(select.POLLOUT, deadline)
            except OSError:
                raise wire.WireClosed("the worker closed the connection") from None

    def _read(self, count: int, deadline: float) -> bytearray:
        while len(self._arrived) < count:
            self._wait(select.POLLIN, deadline)
            try:
                part = self._connection.recv(max(READ_AT_ONCE, count - len(self._arrived)))
            except BlockingIOError:
                continue
            except OSError:
                part = b""
            if not part:
                raise wire.WireClosed("the worker closed the connection")
            self._arrived += part
        data = self._arrived[:count]
        del self._arrived[:count]
        return data

    def _wait(self, event: int, deadline: float) -> None:
        """Waits until the socket is ready; what is printed meanwhile is read, so that no print ever blocks."""
        self._poll.register(self._connection, event)
        while True:
            left = deadline - self._now()
            if left <= 0:  # also for a reply that comes byte by byte, so that poll never waits long
                raise wire.WireTimeout("the deadline passed before the reply was whole")
            ready = dict(self._poll.poll(left * 1000))
            if ready.get(self._output):
                self._drain()
                if not ready[self._output] & select.POLLIN:
                    self._poll.unregister(self._output)  # the worker closed its end
            if ready.get(self._connection.fileno()):
                return

    def _drain(self) -> None:
        """Reads what is there, and keeps the tail."""
        while True:
            try:
                part = os.read(self._output, 1 << 16)
            except BlockingIOError:
                return
            if not part:
                return
            self._printed += len(part)
            self._tail += part
            del self._tail[: -self._limits.output_tail]
            if self._printed > self._limits.output_bytes:
                raise _Flood


class _Flood(Exception):
    """More was printed than is allowed."""


def _size(count: int) -> str:
    return f"{count >> 20} MiB" if count >= 1 << 20 else f"{count >> 10} KiB"


def _signal_name(number: int) -> str:
    return signal.Signals(number).name if number in set(signal.Signals) else "unknown"
