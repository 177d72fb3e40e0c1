"""Asks to trace its parent; here only to let go of it, which needs the same right to call."""

BESIDE = "right"
LAYER = "seccomp"
REFUSAL = {"seccomp": "Operation not permitted"}

import ctypes
import errno
import os

libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace(17, os.getppid(), 0, 0)  # PTRACE_DETACH
if ctypes.get_errno() != errno.ESRCH:  # it is not traced: the call got through
    raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
print("GOT through to ptrace")
