"""Handles page faults itself, which has helped many an attack on the kernel; here with flags that there are not."""

BESIDE = "right"
WALL = "seccomp"
REFUSAL = {"seccomp": "Operation not permitted"}

import ctypes
import errno
import os

libc = ctypes.CDLL(None, use_errno=True)
libc.syscall(ctypes.c_long(323), -1)  # userfaultfd
if ctypes.get_errno() != errno.EINVAL:
    raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
print("GOT through to userfaultfd")
