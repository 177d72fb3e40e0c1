"""Makes itself traceable and its memory readable again."""

BESIDE = "right"
WALL = "seccomp"
REFUSAL = {"seccomp": "Operation not permitted"}

import ctypes
import os

libc = ctypes.CDLL(None, use_errno=True)
if libc.prctl(4, 1, 0, 0, 0) != 0:
    raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
print("GOT to change its own protections")
