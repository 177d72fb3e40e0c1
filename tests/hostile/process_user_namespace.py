"""Enters a user namespace of its own, where it would be root, as any user may."""

BESIDE = "right"
WALL = "seccomp"
REFUSAL = {"seccomp": "Operation not permitted"}

import ctypes
import os

libc = ctypes.CDLL(None, use_errno=True)
if libc.unshare(0x10000000) != 0:  # CLONE_NEWUSER
    raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
print("GOT a user namespace")
