"""Opens a file by the C library, past Python's own open and its audit hooks."""

BESIDE = "right"
WALL = "seccomp"
REFUSAL = {"seccomp": "Operation not permitted", "landlock": "Permission denied"}

import ctypes
import os

libc = ctypes.CDLL(None, use_errno=True)
descriptor = libc.open(b"{folder}/secret.txt", os.O_RDONLY)
if descriptor < 0:
    raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
print("GOT", os.read(descriptor, 100))
