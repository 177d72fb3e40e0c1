"""The sandbox: one zygote, and the workers that are forked from it."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Collection, Sequence
from types import TracebackType

from grader.sandbox.limits import Limits
from grader.sandbox.pool import Pool
from grader.sandbox.protections import SANDBOX_LAYERS, read_layers, require_isolation
from grader.sandbox.worker_handle import WorkerHandle
from grader.sandbox.zygote_handle import ZygoteGone, ZygoteHandle

HELLO_S = 20.0
LANDLOCK_TRY = "open a file"
PR_SET_DUMPABLE = 4


class Sandbox:
    """Runs submissions in processes of their own. A context manager; not for use from two threads at once.

    The zygote starts at once and imports torch while the judge does; it is awaited on first use.

    Args:
        limits: what a submission may take.
        without: sandbox layers to leave out; for tests only, which show what each layer is for.
        requires_layers: whether a worker that lacks a sandbox layer is ended before it sees a submission.
        forks: whether workers are forked from one process that has imported torch (Linux), or each imports it itself.
        starts_at_once: whether the zygote starts now, or when it is first needed.
    """

    def __init__(
        self,
        limits: Limits | None = None,
        without: Collection[str] = (),
        *,
        requires_layers: bool = False,
        forks: bool = sys.platform == "linux",
        starts_at_once: bool = True,
    ) -> None:
        _close_memory()
        self.limits = limits or Limits()
        self._without, self._requires_layers = frozenset(without), requires_layers
        self.forks = forks
        self._source: type[ZygoteHandle] | type[Pool] = ZygoteHandle if forks else Pool
        self._started: ZygoteHandle | Pool | None = self._source() if starts_at_once else None
        self._seen: dict[str, bool] | None = None
        self._canary: WorkerHandle | None = None
        self._landlock: bool | None = None

    def __enter__(self) -> Sandbox:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def _zygote(self) -> ZygoteHandle | Pool:
        self._started = self._started or self._source()
        return self._started

    @property
    def zygote_pid(self) -> int:
        """Process id of the zygote."""
        return self._zygote.pid

    def worker(self, imports: Sequence[str] = ()) -> WorkerHandle:
        """A fresh, locked worker that has seen no submission. A zygote that was killed is replaced.

        Args:
            imports: modules to import before the lock, as grader.submission.imports finds them.

        Raises:
            SandboxError: no worker can be started; the message says why.
            WorkerLost: one of the imports ended it, or took longer than HELLO_S.
            NotIsolated: it lacks a sandbox layer that /proc tells, where layers are required.
        """
        worker = self._start(imports, self._without)
        layers = self._look_at(worker)
        if self._requires_layers and not all(layers.values()):
            worker.close()
            require_isolation(layers)
        return worker

    def protections(self) -> dict[str, bool]:
        """Which protections are on, never by a worker's own word.

        A worker is always a process of its own. The sandbox layers are read from /proc, and count as on if every worker
        so far had them. Landlock, which /proc does not show, is proved by a try in a worker behind that layer alone.

        Raises:
            SandboxError: no worker can be started.
        """
        if self._seen is None:
            with self._start((), self._without) as worker:
                self._look_at(worker)
        if self._canary is not None:
            self._landlock = _outcomes(self._canary, [LANDLOCK_TRY])[LANDLOCK_TRY] == "EACCES"
            self._canary = None
        on = {"process": True, "landlock": bool(self._landlock), **(self._seen or {})}
        return {name: on[name] for name in ("process", "landlock", "seccomp", "limits", "privileges")}

    def attempt(self, layers: Collection[str] = SANDBOX_LAYERS, tries: Sequence[str] = ()) -> dict[str, str]:
        """What a worker without submission is really refused, thing by thing (grader/worker/canary.py).

        Args:
            layers: the sandbox layers to put up; all others are left out.
            tries: names of things to try; all where none is named.

        Returns:
            For each thing `allowed`, or the name of the errno.

        Raises:
            SandboxError: no worker can be started, or it knows no such thing to try.
        """
        return _outcomes(self._start((), self._all_but(*layers)), tries)

    def close(self) -> None:
        """Ends every process that was started here; may be called again."""
        if self._canary is not None:
            self._canary.close()
            self._canary = None
        if self._started is not None:
            self._started.close()

    def _all_but(self, *layers: str) -> frozenset[str]:
        return frozenset(SANDBOX_LAYERS) - set(layers) | self._without

    def _look_at(self, worker: WorkerHandle) -> dict[str, bool]:
        """The sandbox layers that /proc shows of a worker; those that every worker so far had are remembered."""
        layers = read_layers(worker.pid, self._zygote.pid)
        self._seen = {name: on and (self._seen or layers)[name] for name, on in layers.items()}
        if self._landlock is None and self._canary is None:
            # A process of its own, which gets ready while the submission is loaded; protections() makes it try.
            self._canary = self._fork((), self._all_but("landlock"))
        return layers

    def _start(self, imports: Sequence[str], without: Collection[str]) -> WorkerHandle:
        try:
            worker = self._fork(imports, without)
        except ZygoteGone:
            self._zygote.close()
            self._started = None
            self._canary = None
            worker = self._fork(imports, without)
        worker.request({"verb": "hello"}, timeout=HELLO_S)
        return worker

    def _fork(self, imports: Sequence[str], without: Collection[str]) -> WorkerHandle:
        return WorkerHandle(self._zygote.fork(self.limits, imports, without), self._zygote, self.limits)


def _outcomes(worker: WorkerHandle, tries: Sequence[str]) -> dict[str, str]:
    with worker:
        reply = worker.request({"verb": "try", "tries": list(tries)}, timeout=HELLO_S)
    outcomes: dict[str, str] = reply.head["outcomes"]
    return outcomes


def _close_memory() -> None:
    """Keeps this process's memory from others of the same user, before it holds expected values."""
    if sys.platform.startswith("linux"):
        ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
