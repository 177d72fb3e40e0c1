"""Opens a performance counter of the kernel, by which a process can be watched; here with arguments that are none."""

BESIDE = "right"
WALL = "seccomp"
REFUSAL = {"seccomp": "Operation not permitted"}

import ctypes
import errno
import os

libc = ctypes.CDLL(None, use_errno=True)
libc.syscall(ctypes.c_long(298), None, 0, ctypes.c_long(-1), -1, ctypes.c_long(-1))  # perf_event_open
if ctypes.get_errno() not in (errno.EFAULT, errno.EINVAL):
    raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
print("GOT through to the counters")
