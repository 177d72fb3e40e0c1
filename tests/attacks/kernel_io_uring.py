"""Sets up io_uring, whose operations no filter of system calls sees."""

BESIDE = "right"
LAYER = "seccomp"
REFUSAL = {"seccomp": "Operation not permitted"}
MACHINE = "x86_64"

import ctypes
import errno
import os

libc = ctypes.CDLL(None, use_errno=True)
libc.syscall(ctypes.c_long(425), 1, None)  # a bad address: the call got through
if ctypes.get_errno() != errno.EFAULT:
    raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
print("GOT through to io_uring")
