"""Enters namespaces of its own, for processes and for what is mounted, as only root may."""

BESIDE = "right"
WALL = "seccomp"
REFUSAL = {"seccomp": "Operation not permitted", "privileges": "Operation not permitted"}
AS_ROOT = True

import ctypes
import os

libc = ctypes.CDLL(None, use_errno=True)
if libc.unshare(0x20000000 | 0x00020000) != 0:  # CLONE_NEWPID | CLONE_NEWNS
    raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
print("GOT namespaces")
