"""Waits for a lock in its own memory that it says the judge holds, whom the kernel looks up; here for a moment."""

BESIDE = "right"
WALL = "seccomp"
REFUSAL = {"seccomp": "Operation not permitted"}
MACHINE = "x86_64"

import ctypes
import errno
import os

LOCK, TIMED_OUT = 6, errno.ETIMEDOUT
libc = ctypes.CDLL(None, use_errno=True)
word, until = ctypes.c_uint32({judge}), (ctypes.c_long * 2)(1, 0)  # a second after the epoch: it is over
libc.syscall(ctypes.c_long(202), ctypes.byref(word), LOCK, 0, ctypes.byref(until), None, 0)
if ctypes.get_errno() != TIMED_OUT:
    raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
print("GOT a lock on the judge")
