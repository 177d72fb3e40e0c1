"""Starts a process by clone3, which is newer than many a list of forbidden calls; here with arguments that are none."""

BESIDE = "right"
WALL = "seccomp"
REFUSAL = {"seccomp": "Operation not permitted"}

import ctypes
import errno
import os

libc = ctypes.CDLL(None, use_errno=True)
libc.syscall(ctypes.c_long(435), None, ctypes.c_long(0))
if ctypes.get_errno() != errno.EINVAL:  # too small: the call got through
    raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
print("GOT through to clone3")
