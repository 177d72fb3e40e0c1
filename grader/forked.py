"""What a copy of this process does first; it was forked to do a part of the work."""

import ctypes
import signal

PR_SET_PDEATHSIG = 1


def serve_the_parent() -> None:
    """Ctrl-C ends it without a traceback, for the parent has one; and it ends with the parent, even one killed."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
