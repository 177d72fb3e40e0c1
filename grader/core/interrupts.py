"""Delays Ctrl-C while PyTorch is imported."""

import contextlib
import signal
from collections.abc import Iterator


@contextlib.contextmanager
def hold_back() -> Iterator[None]:
    """Delays an interrupt until the end of the context.

    Raised in the midst of PyTorch's import, an interrupt was swallowed by a callback, turned into an ImportError, or
    ended the process from C++ code: 9 times in 60.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
