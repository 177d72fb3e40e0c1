"""What a locked worker cannot do: each thing is really tried, by code of ours, in a worker without submission.

Each try is harmless where it succeeds: signal 0, a child that ends at once, loopback, no file written with
anything in it. An errno that only the system's own code for the call gives (no such file, bad address) counts
as allowed: the call got through.
"""

from __future__ import annotations

import ctypes
import errno
import mmap
import os
import resource
import socket
import sys
import tempfile
import threading
from collections.abc import Callable, Sequence

from grader.worker.confine import PR_SET_DUMPABLE

ALLOWED = "allowed"
CALLS = {
    "x86_64": {"ptrace": 101, "process_vm_readv": 310, "io_uring_setup": 425, "memfd_create": 319, "unshare": 272},
    "aarch64": {"ptrace": 117, "process_vm_readv": 270, "io_uring_setup": 425, "memfd_create": 279, "unshare": 97},
}
CLONE_NEWUSER = 0x10000000
PTRACE_DETACH = 17
DISCARD_PORT = 9
MORE_THAN_ANY_BUDGET = 1 << 42
"""Bytes of address space; nothing of it is touched."""


def attempt(names: Sequence[str]) -> dict[str, str]:
    """Tries the things named, or all of them where none is named.

    Returns:
        For each: `allowed`, the name of the errno (`EPERM`), or the exception's type where it has no errno.
    """
    return {name: _outcome(TRIES[name]) for name in names or TRIES}


def _outcome(act: Callable[[], object]) -> str:
    try:
        act()
    except OSError as problem:
        return errno.errorcode.get(problem.errno or 0, "OSError")
    except Exception as problem:
        return type(problem).__name__
    return ALLOWED


def _open_file() -> None:
    os.close(os.open(os.devnull, os.O_RDONLY))


def _write_file() -> None:
    with tempfile.TemporaryFile(dir="/tmp", buffering=0) as file:
        file.write(b"x")


def _tcp() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as tried:
        tried.settimeout(1.0)
        code = tried.connect_ex(("127.0.0.1", DISCARD_PORT))
    if code not in (0, errno.ECONNREFUSED):
        raise OSError(code, "connect")


def _udp() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as tried:
        tried.connect(("127.0.0.1", DISCARD_PORT))


def _fork() -> None:
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)


def _thread() -> None:
    thread = threading.Thread(target=int)
    thread.start()
    thread.join()


def _exec() -> None:
    _reached({errno.ENOENT}, lambda: os.execv("/nonexistent/program", ["program"]))


def _read_parent() -> None:
    """Reads one byte of the zygote's memory; the errno of a bad address means that the call got through."""
    there, here = ctypes.create_string_buffer(1), ctypes.create_string_buffer(1)
    vector = (ctypes.c_size_t * 2)(ctypes.addressof(there), 1)
    other = (ctypes.c_size_t * 2)(ctypes.addressof(here), 1)
    _reached({errno.EFAULT}, lambda: _call("process_vm_readv", os.getppid(), vector, 1, other, 1, 0))


def _ptrace() -> None:
    # Detaches from a process that is not traced: the call gets through and finds nothing to do.
    _reached({errno.ESRCH}, lambda: _call("ptrace", PTRACE_DETACH, os.getppid(), 0, 0))


def _io_uring() -> None:
    _reached({errno.EFAULT}, lambda: _call("io_uring_setup", 1, 0))


def _memfd() -> None:
    os.close(_call("memfd_create", ctypes.c_char_p(b"canary"), 0))


def _prctl() -> None:
    if ctypes.CDLL(None, use_errno=True).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl")


def _raise_limit() -> None:
    try:
        resource.setrlimit(resource.RLIMIT_CORE, resource.getrlimit(resource.RLIMIT_CORE))
    except ValueError:  # Python's word for it
        raise OSError(errno.EPERM, "setrlimit") from None


def _memory() -> None:
    # Neither committed nor touched: only a limit on the address space refuses it.
    no_reserve = getattr(mmap, "MAP_NORESERVE", 0x4000)
    mmap.mmap(-1, MORE_THAN_ANY_BUDGET, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | no_reserve).close()


def _reached(numbers: set[int], act: Callable[[], object]) -> None:
    try:
        act()
    except OSError as problem:
        if problem.errno not in numbers:
            raise


def _call(name: str, *arguments: object) -> int:
    numbers = CALLS.get(os.uname().machine)
    if numbers is None or not sys.platform.startswith("linux"):
        raise OSError(errno.ENOSYS, name)
    passed = [ctypes.c_long(value) if isinstance(value, int) else value for value in arguments]
    result = int(ctypes.CDLL(None, use_errno=True).syscall(ctypes.c_long(numbers[name]), *passed))
    if result < 0:
        raise OSError(ctypes.get_errno(), name)
    return result


TRIES: dict[str, Callable[[], object]] = {
    "open a file": _open_file,
    "write a file": _write_file,
    "list a folder": lambda: os.listdir("/"),
    "look whether a file exists": lambda: os.stat("/"),
    "connect by TCP": _tcp,
    "make a UDP socket": _udp,
    "make a unix socket": lambda: socket.socket(socket.AF_UNIX).close(),
    "fork": _fork,
    "run a program": _exec,
    "signal its parent": lambda: os.kill(os.getppid(), 0),
    "read its parent's memory": _read_parent,
    "trace its parent": _ptrace,
    "make an anonymous file": _memfd,
    "use io_uring": _io_uring,
    "become root": lambda: os.setresuid(0, 0, 0),
    "change its own protections": _prctl,
    "set a resource limit": _raise_limit,
    "take memory without limit": _memory,
    # Last: the others would be tried in the new namespace, and a thread that is just ending would forbid it.
    "enter a new user namespace": lambda: _call("unshare", CLONE_NEWUSER),
    "start a thread": _thread,
}
"""What is tried, by what a person would call it, in the order of the tries."""
