"""Python started anew in an environment of its own, in which it imports PyTorch before it knows what it is to do.

What it is to do stands in a file in memory, which it reads once a zygote is forked from it (grader/import_once.py).
"""

import marshal
import os
import sys
from collections.abc import Sequence
from typing import Any

ENVIRONMENT = {
    # One thread from the start: a fork of a process with two can hang for ever.
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    # Without it torch._C.set_num_threads(4), which nothing replaces, ends the worker.
    "OMP_THREAD_LIMIT": "1",
    # The order of sets of strings is the same in each run.
    "PYTHONHASHSEED": "0",
    # glibc's malloc keeps so much of what was freed: else each small call gives pages back and takes them again.
    "MALLOC_MMAP_THRESHOLD_": str(4 << 20),
    "MALLOC_TRIM_THRESHOLD_": str(32 << 20),
}
"""All that the zygote, and so a submission, may know of the judge's environment."""

PROGRAM = os.path.join(os.path.dirname(os.path.abspath(__file__)), "import_once.py")  # pathlib takes 5 ms to import

CAN_BE_STARTED = sys.platform == "linux" and not sys.flags.optimize
"""Whether the system's libraries survive a fork after PyTorch's import, and Python was not started with -O."""


OF_STREAMS = ("encoding", "errors", "line_buffering", "write_through")


def command(
    module: str, words: Sequence[str] = (), streams: Sequence[Any] = (), *, answers_early: bool = False
) -> tuple[list[str], int]:
    """The command that starts such a process, with `ENVIRONMENT`, and the descriptor that it is to inherit.

    Args:
        module: the process calls its function `main` with the words.
        words: words of the command line.
        streams: standard output and error of this process, where that one is to write as they do.
        answers_early: whether wrong use is to be answered before PyTorch is imported.

    Raises:
        OSError: there is no more memory, or no more descriptors.
    """
    settings = [[getattr(stream, name) for name in OF_STREAMS] for stream in streams]
    # Bytes, as that process may decode names of files in another way.
    task = module, list(map(os.fsencode, words)), dict(os.environb), settings
    descriptor = os.memfd_create("task")
    os.write(descriptor, marshal.dumps(task))
    flags = ["-P", "-B"] if sys.dont_write_bytecode else ["-P"]
    how = ["early"] if answers_early else []
    return [sys.executable, *flags, PROGRAM, str(descriptor), *how], descriptor


def read_task(descriptor: int) -> tuple[str, list[str]]:
    """Makes this process one of the user's, with environment and streams as in the process that started it.

    Returns:
        The module and the words that `command` was given.
    """
    module, words, environment, settings = marshal.loads(os.pread(descriptor, os.fstat(descriptor).st_size, 0))
    os.environ.clear()
    os.environb.update(environment)
    ours: tuple[Any, Any] = sys.stdout, sys.stderr
    for stream, of_stream in zip(ours, settings, strict=False):
        stream.reconfigure(**dict(zip(OF_STREAMS, of_stream, strict=True)))
    return module, list(map(os.fsdecode, words))
