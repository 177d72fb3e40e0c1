"""`python -m grader`: the fastest way in and out of the command line."""

import gc
import os
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import NoReturn

from grader import clean_process

STANDARD_OUTPUT, STANDARD_ERROR = 1, 2
INTERRUPTED = 130


def run() -> None:
    """Run the command line; `grade` in this process started anew, where PyTorch is imported once (import_once.py)."""
    with suppress(KeyboardInterrupt):
        _prepare()
        words = sys.argv[1:]
        if words[:1] == ["grade"] and clean_process.CAN_BE_STARTED:
            with suppress(OSError):  # the system gives no more memory; then the judge imports PyTorch for itself
                _start_anew(words)
        main(words)
    os._exit(INTERRUPTED)


def _start_anew(words: Sequence[str]) -> None:
    command, task = clean_process.command("grader.__main__", words, (sys.stdout, sys.stderr), answers_early=True)
    for descriptor in (*range(STANDARD_ERROR + 1), task):
        os.set_inheritable(descriptor, True)
    os.execve(command[0], command, clean_process.ENVIRONMENT)


def main(words: Sequence[str]) -> NoReturn:
    """Run the command line and leave at once: taking the interpreter down object by object costs 0.1 s."""
    status = INTERRUPTED
    with suppress(KeyboardInterrupt):
        from grader import cli

        status = cli.main(words)
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError):  # the reader of a pipe has left, or the disk is full, which was reported
            stream.flush()
    os._exit(status)


def _prepare() -> None:
    """Set what the rest relies on, whoever started this process."""
    # Importing PyTorch makes many objects and no garbage; collections in between cost a tenth of it.
    gc.disable()
    # If the program that starts us ignores SIGCHLD, so do we, and then nobody learns how a child process ended.
    if hasattr(signal, "SIGCHLD"):  # Windows has none
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    # A closed standard stream is opened on devnull: what is written goes nowhere, and no socket takes its number.
    while (number := os.open(os.devnull, os.O_RDWR)) <= STANDARD_ERROR:
        pass
    os.close(number)
    sys.stdout = sys.stdout or open(STANDARD_OUTPUT, "w", closefd=False)  # noqa: SIM115  # open to the end
    sys.stderr = sys.stderr or open(STANDARD_ERROR, "w", closefd=False)  # noqa: SIM115  # likewise


if __name__ == "__main__":
    run()
