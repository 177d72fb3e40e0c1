"""Puts a key into the kernel's keyring, where another process could find it; here into its own process's."""

BESIDE = "right"
WALL = "seccomp"
REFUSAL = {"seccomp": "Operation not permitted"}
MACHINE = "x86_64"

import ctypes
import os

libc = ctypes.CDLL(None, use_errno=True)
key = libc.syscall(ctypes.c_long(248), b"user", b"hostile", b"x", ctypes.c_long(1), -2)
if key < 0:
    raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
print("GOT a key")
