"""A submission's process as the judge holds it: one worker after another, their time, and what they print."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from torch import Tensor

from grader.judge.clock import Clock
from grader.records import Verdict
from grader.sandbox import Answer, Exchange, Reply, Sandbox, SandboxError, WorkerHandle, WorkerLost


class Process:
    """Runs a submission in one worker at a time; limits its time and keeps its output.

    Args:
        sandbox: starts workers.
        imports: the modules that each worker imports before it locks itself in.
    """

    def __init__(self, sandbox: Sandbox, imports: Sequence[str]) -> None:
        self._sandbox, self._imports = sandbox, imports
        self._worker: WorkerHandle | None = None
        self._clock = Clock(sandbox.limits.submission_s, self._now)
        self._waited = 0.0
        """Seconds that earlier workers waited for a processor, which do not count as the submission's time."""
        self._mark = 0
        """How many bytes the check had printed when its last call began."""
        self.printed = ""
        """The end of the output of the workers that have ended, in order."""

    @property
    def runs(self) -> bool:
        """Whether there is a worker."""
        return self._worker is not None

    def start(self, seconds: float) -> None:
        """Starts a worker, and the time for its first task.

        Raises:
            SandboxError: no worker can be started.
            WorkerLost: one of the imports ended it.
        """
        self._worker = self._sandbox.worker(self._imports)
        # Not earlier: the time in which the grader's own process gets ready is not the submission's.
        self._clock.start()
        self.begin(seconds)

    def goes_on_in_a_copy(self) -> None:
        """Takes over the worker, in a copy of the process that started it."""
        self._there().goes_on_in_a_copy()

    def begin(self, seconds: float) -> None:
        """Starts the time for a task that begins now, and the counts of what it asks and prints."""
        self._there().begin()
        self._mark = 0
        self._clock.begin(seconds)

    def mark(self) -> None:
        """Marks where a call begins: what is printed from here on belongs to it."""
        self._mark = self._worker.printed if self._worker else 0

    def age_s(self) -> float:
        """Seconds since its worker was forked."""
        return time.monotonic() - self._there().forked_at

    def forget_output(self) -> None:
        """Drops what this worker has printed so far, which an earlier worker has printed too."""
        self._there().forget_output()

    def printed_since(self) -> str:
        """The end of what was printed since `mark`; empty where the worker has ended."""
        count = self._worker.printed - self._mark if self._worker else 0
        return self._worker.output(count) if self._worker and count else ""

    def ask_for_time(self) -> None:
        """Checks, before a task begins, that the whole submission has time left.

        Raises:
            TimeSpent: the time for the whole submission is over.
        """
        self._clock.ask()

    def ask(
        self,
        head: dict[str, Any],
        tensors: Sequence[Tensor] = (),
        called_back: Answer | None = None,
        meanwhile: Callable[[], None] | None = None,
    ) -> Reply:
        """Sends a request to the worker and returns the reply.

        Args:
            head: the head of the request.
            tensors: the tensors that the head refers to.
            called_back: answers what the worker asks in the meantime.
            meanwhile: runs while the worker computes.

        Raises:
            WorkerLost: no reply came.
            SandboxError: the worker refuses the request.
        """
        try:
            return self._there().request(
                head,
                tensors,
                timeout=self._clock.left(),
                budget=self._clock.budget,
                called_back=called_back,
                meanwhile=meanwhile,
            )
        except WorkerLost:
            self.close()
            raise

    @contextmanager
    def reply(
        self,
        head: dict[str, Any],
        tensors: Sequence[Tensor] = (),
        called_back: Answer | None = None,
        meanwhile: Callable[[], None] | None = None,
    ) -> Iterator[Reply]:
        """Gives the reply to a request to a block that must only read it; arguments as of `ask`.

        Raises:
            WorkerLost: no reply came, or it could not be read or refuses the request: a submission wrote on the
                worker's connection.
        """
        try:
            reply = self.ask(head, tensors, called_back, meanwhile)
        except SandboxError as error:
            raise self._of_unknown_format() from error
        try:
            yield reply
        except (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError, StopIteration) as error:
            raise self._of_unknown_format() from error

    def repeat(self, message: bytes) -> bytes:
        """Sends a message of an earlier task again; returns and raises as `WorkerHandle.repeat`."""
        return self._there().repeat(message, timeout=self._clock.left(), budget=self._clock.budget)

    @property
    def exchanges(self) -> list[Exchange] | None:
        """The requests of the current task and their replies; None: they cannot be repeated."""
        return self._worker.exchanges if self._worker else None

    def close(self) -> None:
        """Ends the worker; may be called again."""
        if self._worker is not None:
            self.printed = (self.printed + self._worker.output())[-self._sandbox.limits.output_tail :]
            self._worker.close()
            self._waited += self._worker.seconds_waited()
            self._worker = None

    def _of_unknown_format(self) -> WorkerLost:
        self.close()
        return WorkerLost(Verdict.CRASH, "answered in no known way and was stopped")

    def _now(self) -> float:
        return time.monotonic() - self._waited - (self._worker.seconds_waited() if self._worker else 0.0)

    def _there(self) -> WorkerHandle:
        assert self._worker is not None, "no worker is there"
        return self._worker
