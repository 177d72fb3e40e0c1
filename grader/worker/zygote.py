"""The process that workers are forked from: it has torch imported and warmed up, one thread, and never a secret.

It is forked from the judge's process before that knows anything (grader/import_once.py), or the judge execs this file
with a cleared environment, a control socket and its own process id. Requests on the socket are lines of JSON: `fork`
(with descriptors: the worker's socket, the pipe for its output, its notes; `memory_bytes cpu_s imports wire`, and
`without` in tests and for the canary), `become` (the same, to be the worker itself, where the system's libraries do not
survive a fork) and `end`. When the judge closes the socket, every process below the zygote is killed and the zygote
exits.
"""

from __future__ import annotations

import gc

gc.disable()  # the import of torch then takes 0.7 of the time

import json  # noqa: E402
import mmap  # noqa: E402
import os  # noqa: E402
import signal  # noqa: E402
import socket  # noqa: E402
import sys  # noqa: E402
from pathlib import Path  # noqa: E402
from typing import Any, NoReturn  # noqa: E402


def main() -> None:
    """Imports, warms up, says hello, serves until the control socket closes."""
    control = socket.socket(fileno=int(sys.argv[1]))
    judge = int(sys.argv[2])
    _leave_with(judge, control)
    bring_in()
    serve(control, judge)


def bring_in() -> None:
    """Imports torch, and what a worker needs of ours, before sys.path forgets us."""
    from grader.worker import streams

    streams.over_pipes()  # before anything keeps one of the old streams
    from grader.worker import canary, confine, ending, preload, request_loop, warm  # noqa: F401


def serve(control: socket.socket, judge: int) -> None:
    """Warms up, says hello, serves until the control socket closes.

    Args:
        control: brings requests.
        judge: process id of the parent.
    """
    from grader.worker import confine, ending, warm

    _leave_with(judge, control)
    warm.warm_up()
    warm.adapt()
    _forget_repository()
    confine.prctl(confine.PR_SET_CHILD_SUBREAPER, 1)
    _assert_one_thread()
    gc.freeze()  # a collection in a worker then costs 12 ms instead of 151

    children: set[int] = set()
    try:
        _send(control, {"ready": True, "pid": os.getpid()})
        while True:
            request, descriptors = _receive(control)
            if request is None:
                break
            if request["do"] == "become":
                _send(control, {"pid": os.getpid()})
                _become_worker(request, descriptors, judge)
            elif request["do"] == "fork":
                _send(control, _fork(request, descriptors, children))
            else:
                _send(control, {"status": ending.end(request["pid"], request["grace_s"], children)})
    finally:
        _leave(children)


def _fork(request: dict[str, Any], descriptors: list[int], children: set[int]) -> dict[str, Any]:
    """Forks a worker, which gets the descriptors; returns its `pid`, or `error` where the system refuses."""
    zygote = os.getpid()
    try:
        pid = os.fork()
        if pid == 0:
            _become_worker(request, descriptors, zygote)
        children.add(pid)
        return {"pid": pid}
    except OSError as problem:
        return {"error": str(problem)}
    finally:
        for descriptor in descriptors:
            os.close(descriptor)


def _become_worker(request: dict[str, Any], descriptors: list[int], parent: int) -> NoReturn:
    try:
        from grader import wire
        from grader.worker import confine, errors, preload, request_loop, warm

        connection, output, noted = descriptors
        notes = mmap.mmap(noted, wire.NOTE.size)
        confine.separate(connection, output, parent)
        served = socket.socket(fileno=confine.SOCKET)  # before the lock: it asks the system what kind of socket it is
        preload.bring_in(request["imports"], request["without"])
        warm.stand_in()
        confine.lock(parent, request["memory_bytes"], request["cpu_s"], request["without"])
        gc.enable()
        try:
            request_loop.serve(served, notes, wire.WireLimits(**request["wire"]))
        except (MemoryError, RuntimeError) as problem:
            if errors.out_of_memory(problem):
                os._exit(wire.OUT_OF_MEMORY)
            raise
    finally:
        os._exit(70)  # whatever happens, never back into the zygote's loop


def _leave_with(judge: int, control: socket.socket) -> None:
    """Lets the zygote end with the judge even where another process holds the judge's end of the control socket."""
    from grader.worker import confine

    def ended(number: int, frame: object) -> None:
        # The signal also comes when only the thread that started us has ended. The loop leaves as at the
        # end of file: an exception from here could land amid the killing and cut it short.
        if os.getppid() != judge:
            control.shutdown(socket.SHUT_RDWR)

    signal.signal(signal.SIGTERM, ended)
    confine.prctl(confine.PR_SET_PDEATHSIG, signal.SIGTERM)


def _forget_repository() -> None:
    """Keeps a submission from importing the grader or the katas."""
    sys.path[:] = [entry for entry in sys.path if Path(entry).resolve() != REPOSITORY]
    for name in ("grader", "grader.worker"):
        sys.modules[name].__path__ = []


def _assert_one_thread() -> None:
    if sys.platform.startswith("linux") and len(os.listdir("/proc/self/task")) != 1:
        raise RuntimeError("the zygote has more than one thread: a worker forked from it could hang")


def _send(control: socket.socket, message: dict[str, Any]) -> None:
    control.sendall(json.dumps(message).encode() + b"\n")


def _receive(control: socket.socket) -> tuple[dict[str, Any] | None, list[int]]:
    """One request with its descriptors; None once the judge has ended. One request is under way at a time."""
    line, descriptors, _, _ = socket.recv_fds(control, 4096, 3)
    while line and not line.endswith(b"\n"):
        more = control.recv(4096)
        line = line + more if more else b""
    return (json.loads(line) if line else None), descriptors


def _leave(children: set[int]) -> NoReturn:
    from grader.worker import ending

    for pid in list(children):
        ending.end(pid, 0.0, children)
    os._exit(0)


REPOSITORY = Path(__file__).resolve().parents[2]

if __name__ == "__main__":
    sys.path.insert(0, str(REPOSITORY))
    main()
