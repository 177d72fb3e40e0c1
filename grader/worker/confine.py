"""The worker's lock-down: the one place for it. The worker's word proves nothing; the judge looks for itself.

Each step that this system does not know is left out; the judge reports which were on.
"""

from __future__ import annotations

import ctypes
import faulthandler
import os
import resource
import signal
import sys

PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_SET_CHILD_SUBREAPER = 36
PR_SET_NO_NEW_PRIVS = 38

SOCKET = 3
"""The descriptor that the worker's socket has once it is confined."""


def prctl(option: int, value: int) -> bool:
    """Linux's prctl; False where there is none or it is refused."""
    if not sys.platform.startswith("linux"):
        return False
    return bool(ctypes.CDLL(None).prctl(option, value, 0, 0, 0) == 0)


def confine(connection: int, output: int, parent: int, memory_bytes: int) -> None:
    """Locks this process down, before it sees a submission.

    Args:
        connection: descriptor of the socket to the judge; it becomes `SOCKET`.
        output: descriptor of the pipe for standard output and standard error.
        parent: process id of the zygote; without it there is nobody to end this process.
        memory_bytes: how much the process may allocate beyond what the zygote has mapped.
    """
    _descriptors(connection, output)
    os.setsid()
    prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(0)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    os.environ.clear()
    sys.argv[:] = [""]
    os.chdir("/")
    faulthandler.disable()
    _limits(memory_bytes)
    prctl(PR_SET_NO_NEW_PRIVS, 1)
    prctl(PR_SET_DUMPABLE, 0)


def _descriptors(connection: int, output: int) -> None:
    """/dev/null on 0, the pipe on 1 and 2, the socket on 3, and no other."""
    # Out of the way first: the descriptors given may be among 0 to 3.
    connection, output = os.dup(connection), os.dup(output)
    null = os.open(os.devnull, os.O_RDONLY)
    for source, target in ((null, 0), (output, 1), (output, 2), (connection, SOCKET)):
        os.dup2(source, target)
    os.closerange(SOCKET + 1, min(resource.getrlimit(resource.RLIMIT_NOFILE)[0], 1 << 20))


def _limits(memory_bytes: int) -> None:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if sys.platform.startswith("linux"):
        with open("/proc/self/statm") as statm:
            mapped = int(statm.read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (mapped + memory_bytes, mapped + memory_bytes))
