"""Asks for what the kernel keeps for its own tools: performance counters, BPF, page faults, keys of a module."""

BESIDE = "right"
WALL = "seccomp"
REFUSAL = {"seccomp": "Operation not permitted"}
MACHINE = "x86_64"
AS_ROOT = True

import ctypes
import errno
import os

libc = ctypes.CDLL(None, use_errno=True)
for number in (298, 321, 323):  # perf_event_open, bpf, userfaultfd, each with arguments that are none
    ctypes.set_errno(0)
    libc.syscall(ctypes.c_long(number), ctypes.c_long(-1), None, ctypes.c_long(0), ctypes.c_long(-1), ctypes.c_long(-1))
    if ctypes.get_errno() not in (errno.EINVAL, errno.EFAULT, errno.E2BIG, errno.ENOSYS):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
print("GOT through to all")
