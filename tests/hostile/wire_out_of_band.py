"""Sends a byte out of band along its wire: a flag of an allowed call, whose code was once a way into the kernel."""

BESIDE = "right"
WALL = "seccomp"
REFUSAL = {"seccomp": "Operation not permitted"}

import ctypes
import os

MSG_OOB = 1
libc = ctypes.CDLL(None, use_errno=True)
if libc.send(3, ctypes.c_char_p(b"x"), ctypes.c_size_t(1), MSG_OOB) != 1:
    raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
print("GOT a byte sent")
