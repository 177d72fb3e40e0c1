"""Imports PyTorch once for two processes: the zygote is forked from this one, which then does its task as the judge.

Until then this process knows nothing of its user: `clean_process.command` starts it with a cleared environment, and it
reads its task afterwards. An import takes a processor a second, and two at the same time take longer than one.

Wrong use, such as a path at which nothing is, is to be answered without waiting for PyTorch. So a copy of this process,
made before the import, begins the task too, until a submission is to be read; this process ends if that was all.
"""

import gc

gc.disable()  # the import of PyTorch then takes 0.7 of the time

import os  # noqa: E402
import signal  # noqa: E402
import socket  # noqa: E402
import subprocess  # noqa: E402
import sys  # noqa: E402
import traceback  # noqa: E402
from collections.abc import Callable  # noqa: E402
from contextlib import suppress  # noqa: E402
from importlib import import_module  # noqa: E402
from pathlib import Path  # noqa: E402
from typing import Any, NamedTuple, NoReturn  # noqa: E402

READER = Path(__file__).with_name("submission") / "program.py"
NEEDS_PYTORCH = 71
"""The exit status of a copy that could not do the whole task."""
INTERRUPTED = 130


class Zygote(NamedTuple):
    """A zygote that was forked from this process."""

    pid: int
    control: socket.socket
    """This process's end of the socket on which it is asked."""
    errors: int
    """Descriptor of a file with what it writes to standard error."""


def main() -> None:
    """Imports PyTorch, forks the zygote, and does the task."""
    task, answers_early = int(sys.argv[1]), len(sys.argv) > 2
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, lambda number, frame: os._exit(INTERRUPTED))  # the import may swallow an exception
    copy = _copy_that_answers_early(task) if answers_early else None
    reader = subprocess.Popen(
        [sys.executable, "-P", READER],
        env={**os.environ, "HOME": os.sep},  # IPython's modules ask for a home
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    from grader.worker import zygote

    forked = None
    with suppress(Exception):  # the judge meets it again where it imports PyTorch, and says it
        zygote.bring_in()
        if len(os.listdir("/proc/self/task")) == 1:  # a fork of a process with two threads can hang for ever
            forked = _fork_zygote(zygote.serve)
    if copy is not None:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        _leave_if_done(copy, 0)
    from grader.submission import reading_process

    reading_process.take_over(reader)
    _do(task, forked)


def _do(task: int, zygote: Zygote | None) -> None:
    from grader import clean_process
    from grader.sandbox import zygote_handle

    module, words = clean_process.read_task(task)
    os.close(task)
    if zygote is not None:
        zygote_handle.take_over(*zygote)
    function = import_module(module).main
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    function(words)


def _copy_that_answers_early(task: int) -> int:
    """Forks a copy that does the task until a submission is to be read; returns its process id."""
    copy = os.fork()
    if copy:
        signal.signal(signal.SIGCHLD, lambda number, frame: _leave_if_done(copy, os.WNOHANG))
        return copy
    with suppress(BaseException):
        from grader.forked import serve_the_parent

        interrupts = signal.getsignal(signal.SIGINT)
        serve_the_parent()
        if interrupts is signal.SIG_IGN:
            signal.signal(signal.SIGINT, signal.SIG_IGN)
        sys.addaudithook(_end_before_pytorch)
        _do(task, _fork_zygote(lambda control, judge: control.recv(1)))  # it is asked for nothing
    os._exit(NEEDS_PYTORCH)


def _end_before_pytorch(event: str, details: tuple[Any, ...]) -> None:
    """Ends the process where it imports PyTorch, or starts a process that reads a submission."""
    if event == "subprocess.Popen" or (event == "import" and details[0] == "torch"):
        os._exit(NEEDS_PYTORCH)


def _leave_if_done(copy: int, options: int) -> None:
    """Ends this process as the copy ended, if that has done the whole task."""
    with suppress(ChildProcessError):  # it was waited for before
        ended, status = os.waitpid(copy, options)
        if ended and os.WIFEXITED(status) and os.WEXITSTATUS(status) != NEEDS_PYTORCH:
            os._exit(os.WEXITSTATUS(status))


def _fork_zygote(serve: Callable[[socket.socket, int], object]) -> Zygote:
    """Forks a process that calls `serve` with its end of the control socket and the process id of this process."""
    control, theirs = socket.socketpair()
    errors, judge = os.memfd_create("errors"), os.getpid()
    pid = os.fork()
    if pid == 0:
        _be_zygote(serve, theirs, judge, errors)
    theirs.close()
    return Zygote(pid, control, errors)


def _be_zygote(
    serve: Callable[[socket.socket, int], object], control: socket.socket, judge: int, errors: int
) -> NoReturn:
    try:
        os.setsid()  # Ctrl-C in the terminal is for the judge
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        nowhere = os.open(os.devnull, os.O_RDWR)
        for number, descriptor in enumerate((nowhere, nowhere, errors)):
            os.dup2(descriptor, number)
        for descriptor in map(int, os.listdir("/proc/self/fd")):
            if descriptor > 2 and descriptor != control.fileno():
                with suppress(OSError):  # the one of the list itself
                    os.close(descriptor)
        serve(control, judge)
    except BaseException:
        traceback.print_exc()
    os._exit(1)


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).absolute().parents[1]))
    main()
