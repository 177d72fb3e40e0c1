"""What a copy of this process, forked to do a part of the work, does first."""

import ctypes
import signal

PR_SET_PDEATHSIG = 1


def serve_the_parent() -> None:
    """Makes it end with its parent, even one killed, and on Ctrl-C without a traceback, as the parent has one."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
