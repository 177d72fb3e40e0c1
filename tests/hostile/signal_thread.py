"""Signals a thread of the judge by tgkill, which the filter lets pass for its own process; here by signal 0."""

BESIDE = "right"
WALL = "seccomp"
REFUSAL = {"seccomp": "not permitted", "landlock": "not permitted", "privileges": "not permitted"}
MACHINE = "x86_64"

import ctypes
import os

libc = ctypes.CDLL(None, use_errno=True)
if libc.syscall(ctypes.c_long(234), {judge}, {judge}, 0) != 0:
    raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
print("GOT the right to signal a thread")
