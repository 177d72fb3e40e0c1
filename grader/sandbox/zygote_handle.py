"""The judge's handle on the zygote: the process that imports torch once and forks a worker per submission."""

from __future__ import annotations

import fcntl
import json
import mmap
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, cast

from grader import wire
from grader.clean_process import ENVIRONMENT
from grader.sandbox.limits import Limits

PROGRAM = Path(__file__).resolve().parents[1] / "worker" / "zygote.py"

READY_S = 120.0
ANSWER_S = 20.0
ASKED_AGAIN_S = 0.005


class SandboxError(Exception):
    """The grader's own processes failed, not the submission."""


class ZygoteGone(SandboxError):
    """The zygote has ended."""


class ForkedWorker(NamedTuple):
    """A new worker: its process id, the judge's end of its socket, the read end of its output, and its notes."""

    pid: int
    connection: socket.socket
    output: int
    notes: mmap.mmap


class ForkedProcess:
    """A child of this process, with what a handle needs of a `subprocess.Popen`."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._has_ended = False

    def wait(self, timeout: float | None = None) -> None:
        """Waits until it has ended.

        Raises:
            subprocess.TimeoutExpired: it has not ended by then.
        """
        until = None if timeout is None else time.monotonic() + timeout
        while not self._has_ended:
            with suppress(ChildProcessError):  # somebody else has waited for it
                if os.waitpid(self.pid, 0 if until is None else os.WNOHANG)[0] == 0:
                    if until is not None and time.monotonic() > until:
                        raise subprocess.TimeoutExpired("zygote", timeout or 0.0)
                    time.sleep(ASKED_AGAIN_S)
                    continue
            self._has_ended = True

    def kill(self) -> None:
        """Kills it, unless it has ended."""
        if not self._has_ended:
            os.kill(self.pid, signal.SIGKILL)


class StartedZygote(NamedTuple):
    """A zygote that may not be ready yet."""

    process: subprocess.Popen[bytes] | ForkedProcess
    control: socket.socket
    errors: BinaryIO
    """What it writes to standard error."""


_forked: list[StartedZygote] = []


def take_over(pid: int, control: socket.socket, errors: int) -> None:
    """Keeps a zygote for the next handle: one that was forked from this process (grader/import_once.py).

    Args:
        pid: its process id.
        control: the socket to it.
        errors: descriptor of a file with what it writes to standard error.
    """
    _forked.append(StartedZygote(ForkedProcess(pid), control, os.fdopen(errors, "w+b")))


class ZygoteHandle:
    """The zygote, which is started at once, unless one was forked before, and is awaited on first use."""

    def __init__(self) -> None:
        self._process, self._control, self._errors = _forked.pop() if _forked else _started()
        self._lock = _in_memory()
        self._ready = False

    @property
    def pid(self) -> int:
        """The zygote's process id."""
        return self._process.pid

    def fork(
        self, limits: Limits, imports: Sequence[str], without: Collection[str], *, become: bool = False
    ) -> ForkedWorker:
        """A new worker: it imports what is asked for, then locks itself in.

        Args:
            limits: what it may take.
            imports: names of modules; one that is not there is left out.
            without: sandbox layers to leave out (grader/worker/confine.py).
            become: whether the zygote forks nothing and becomes the only worker itself, to be ended by `ended`.

        Raises:
            SandboxError: the zygote did not start, has ended, or may not fork.
        """
        self.await_ready()
        ours, theirs = socket.socketpair()
        output, printing = os.pipe()
        noted = _in_memory()
        noted.truncate(wire.NOTE.size)
        notes = mmap.mmap(noted.fileno(), wire.NOTE.size)
        try:
            request = {
                "do": "become" if become else "fork",
                "memory_bytes": limits.memory_bytes,
                "cpu_s": limits.processor_s,
                "imports": list(imports),
                "without": sorted(without),
                "wire": asdict(limits.wire),
            }
            answer = self._ask(request, [theirs.fileno(), printing, noted.fileno()])
            if "error" in answer:
                raise SandboxError(f"No worker could be started: {answer['error']}. End other programs and try again.")
        except BaseException:
            ours.close()
            os.close(output)
            raise
        finally:
            theirs.close()
            os.close(printing)
            noted.close()
        return ForkedWorker(answer["pid"], ours, output, notes)

    def end(self, pid: int, grace_s: float) -> int | None:
        """Ends a worker and all that it started.

        Args:
            pid: as given by `fork`.
            grace_s: how long the worker may take to end by itself before it is killed.

        Returns:
            Its own exit status (a negative signal number, or a code), or None if it had to be killed.

        Raises:
            ZygoteGone: the zygote has ended; its workers end with it.
        """
        status: int | None = self._ask({"do": "end", "pid": pid, "grace_s": grace_s}, [])["status"]
        return status

    def ended(self, grace_s: float) -> int | None:
        """Ends the zygote that became a worker; returns what `end` does."""
        status: int | None = None
        with suppress(subprocess.TimeoutExpired):
            status = self._process.wait(grace_s)
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self.close()
        return status

    def await_ready(self) -> None:
        """Waits until the zygote has imported torch.

        Raises:
            SandboxError: it ended instead; the message has its last words.
        """
        if not self._ready:
            self._answer(READY_S)
            self._ready = True

    def close(self) -> None:
        """Ends the zygote, and with it every worker; may be called again."""
        self._control.close()  # the zygote ends all its workers, and then itself
        if not self._ready:
            self._process.kill()  # it has no workers yet, and would first import torch to its end
        try:
            self._process.wait(ANSWER_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._errors.close()
        self._lock.close()

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Lets one process at a time ask, of this one and its copies; SIGTERM waits until it is answered."""
        before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
        fcntl.lockf(self._lock, fcntl.LOCK_EX)  # the lock ends with the process that holds it
        try:
            yield
        finally:
            fcntl.lockf(self._lock, fcntl.LOCK_UN)
            signal.pthread_sigmask(signal.SIG_SETMASK, before)

    def _ask(self, request: dict[str, Any], descriptors: list[int]) -> dict[str, Any]:
        message = json.dumps(request).encode() + b"\n"
        with self._alone():
            try:
                if descriptors:
                    socket.send_fds(self._control, [message], descriptors)
                else:
                    self._control.sendall(message)
            except OSError:
                raise ZygoteGone(self._why()) from None
            return self._answer(ANSWER_S)

    def _answer(self, timeout: float) -> dict[str, Any]:
        line = b""
        poll = select.poll()
        poll.register(self._control, select.POLLIN)
        while not line.endswith(b"\n"):
            if not poll.poll(timeout * 1000):
                raise ZygoteGone(f"The process that runs submissions did not answer within {timeout:g} s. Try again.")
            try:
                part = self._control.recv(4096)
            except OSError:
                part = b""
            if not part:
                raise ZygoteGone(self._why())
            line += part
        answer: dict[str, Any] = json.loads(line)
        return answer

    def _why(self) -> str:
        self._errors.seek(0)
        words = self._errors.read().decode(errors="replace").strip().splitlines()
        last = words[-1] if words else "it said nothing"
        return (
            f"The process that runs submissions ended: {last}. "
            f"Check that this works: {sys.executable} -c 'import torch'"
        )


def _started() -> StartedZygote:
    control, theirs = socket.socketpair()
    errors = _in_memory()
    with theirs:
        process = subprocess.Popen(
            # -P: the program's folder, and so the grader's modules by bare name, stay out of sys.path.
            [sys.executable, "-P", str(PROGRAM), str(theirs.fileno()), str(os.getpid())],
            env=ENVIRONMENT,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=errors,
            pass_fds=[theirs.fileno()],
            start_new_session=True,  # Ctrl-C in the terminal is for the judge
        )
    return StartedZygote(process, control, errors)


def _in_memory() -> BinaryIO:
    """A temporary file; on Linux it needs no writable folder, as there is none in a container that is read-only."""
    if sys.platform == "linux":
        return os.fdopen(os.memfd_create("errors"), "w+b")
    return cast(BinaryIO, tempfile.TemporaryFile())
