"""The one place where a worker is locked down. A worker's word proves nothing: the judge looks for itself.

`separate` cuts the process off from the zygote's surroundings; `lock` puts up the sandbox layers. Between the two the
worker imports what the submission will ask for, since no file can be opened afterwards; `read_only` keeps these imports
from leaving anything behind. A layer that this system does not have is left out, and a fence in Python takes the place
of seccomp, the main one, where that is missing; the judge reports which layers were on.
"""

from __future__ import annotations

import ctypes
import errno
import faulthandler
import os
import resource
import signal
import struct
import sys
from collections.abc import Callable, Collection
from contextlib import suppress

from grader.worker import fence, landlock, seccomp

PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_SET_CHILD_SUBREAPER = 36
PR_SET_NO_NEW_PRIVS = 38

SOCKET = 3
"""The descriptor that the worker's socket has once it is confined."""
DESCRIPTORS = 32
"""The most descriptors that may be open: enough for imports where no sandbox layer keeps files from being opened."""
NOBODY = 65534
CAPSET = {"x86_64": 126, "aarch64": 91}
CAPABILITY_VERSION_3 = 0x20080522


def prctl(option: int, value: int) -> bool:
    """Calls Linux's prctl; returns False where there is none or it is refused."""
    if not sys.platform.startswith("linux"):
        return False
    return bool(ctypes.CDLL(None).prctl(option, value, 0, 0, 0) == 0)


def separate(connection: int, output: int, parent: int) -> None:
    """Leaves the zygote's descriptors, session, environment and folder.

    Args:
        connection: descriptor of the socket to the judge; it becomes `SOCKET`.
        output: descriptor of the pipe for standard output and standard error.
        parent: process id of the zygote. If that has ended, this process exits, since nobody else would end it.
    """
    _descriptors(connection, output)
    with suppress(PermissionError):  # a zygote that becomes the worker leads its session already
        os.setsid()
    _end_with(parent)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    os.environ.clear()
    sys.argv[:], sys.orig_argv[:] = [""], []
    os.chdir("/")
    faulthandler.disable()


def read_only(without: Collection[str] = ()) -> None:
    """Forbids all but reading of files, where there is Landlock: some modules write, or run a program, when imported.

    Args:
        without: sandbox layers to leave out, as for `lock`.
    """
    prctl(PR_SET_NO_NEW_PRIVS, 1)
    if "landlock" not in without:
        with suppress(OSError):
            landlock.restrict(reading=True)


def lock(parent: int, memory_bytes: int, cpu_s: int, without: Collection[str] = ()) -> None:
    """Puts up the sandbox layers, before the process sees a submission.

    Args:
        parent: process id of the zygote.
        memory_bytes: how much the process may allocate beyond what it has mapped now.
        cpu_s: seconds of processor time that it may take in its lifetime.
        without: sandbox layers to leave out, for tests and the canary: `privileges`, `limits`, `landlock`, `seccomp`.
    """
    layers: dict[str, Callable[[], None]] = {
        "privileges": _privileges,
        "limits": lambda: _limits(memory_bytes, cpu_s),
        "landlock": landlock.restrict,
        "seccomp": seccomp.install,
    }
    # First: Landlock and seccomp are only for processes that can gain no privileges by exec.
    prctl(PR_SET_NO_NEW_PRIVS, 1)
    for name, put_up in layers.items():
        if name == "seccomp":
            _end_with(parent)  # again: a change of user resets it, and the filter will refuse it
            prctl(PR_SET_DUMPABLE, 0)
        if name not in without:
            try:
                put_up()
            except (OSError, ValueError):
                if name == "seccomp":
                    fence.put_up()


def _descriptors(connection: int, output: int) -> None:
    """Puts /dev/null on descriptor 0, the pipe on 1 and 2 and the socket on 3, and closes all others."""
    # Duplicated first: the descriptors given may be among 0 to 3.
    connection, output = os.dup(connection), os.dup(output)
    null = os.open(os.devnull, os.O_RDONLY)
    for source, target in ((null, 0), (output, 1), (output, 2), (connection, SOCKET)):
        os.dup2(source, target)
    os.closerange(SOCKET + 1, min(resource.getrlimit(resource.RLIMIT_NOFILE)[0], 1 << 20))


def _end_with(parent: int) -> None:
    prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(0)


def _privileges() -> None:
    """Gives up root and every capability."""
    if os.geteuid() == 0:
        with suppress(OSError):  # a container may know no such user
            os.setgroups([])
            os.setresgid(NOBODY, NOBODY, NOBODY)
            os.setresuid(NOBODY, NOBODY, NOBODY)
    number = CAPSET.get(os.uname().machine)
    if number is None or not sys.platform.startswith("linux"):
        raise OSError(errno.ENOSYS, "no capabilities on this system")
    # Effective, permitted and inheritable, each in two halves.
    header, nothing = struct.pack("Ii", CAPABILITY_VERSION_3, 0), bytes(24)
    ctypes.CDLL(None).syscall(ctypes.c_long(number), ctypes.c_char_p(header), ctypes.c_char_p(nothing))


def _limits(memory_bytes: int, cpu_s: int) -> None:
    bounds = {
        resource.RLIMIT_CORE: (0, 0),
        resource.RLIMIT_FSIZE: (0, 0),
        resource.RLIMIT_NPROC: (0, 0),
        resource.RLIMIT_NOFILE: (DESCRIPTORS, DESCRIPTORS),
        # SIGXCPU first, which says what happened; SIGKILL a second later, which cannot be ignored.
        resource.RLIMIT_CPU: (cpu_s, cpu_s + 1),
    }
    if sys.platform.startswith("linux"):
        with open("/proc/self/statm") as statm:
            mapped = int(statm.read().split()[0]) * resource.getpagesize()
        bounds[resource.RLIMIT_AS] = (mapped + memory_bytes, mapped + memory_bytes)
    for name, (soft, hard) in bounds.items():
        most = resource.getrlimit(name)[1]
        if most != resource.RLIM_INFINITY:
            soft, hard = min(soft, most), min(hard, most)
        with suppress(OSError, ValueError):
            resource.setrlimit(name, (soft, hard))
