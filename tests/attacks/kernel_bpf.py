"""Loads a program into the kernel by bpf; here with a command that there is not."""

BESIDE = "right"
LAYER = "seccomp"
REFUSAL = {"seccomp": "Operation not permitted"}

import ctypes
import errno
import os

libc = ctypes.CDLL(None, use_errno=True)
libc.syscall(ctypes.c_long(321), -1, None, 0)  # bpf
if ctypes.get_errno() not in (errno.EFAULT, errno.EINVAL):
    raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
print("GOT through to bpf")
