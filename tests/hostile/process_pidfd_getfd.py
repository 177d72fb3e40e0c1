"""Takes a descriptor out of the zygote, such as its socket to the judge."""

BESIDE = "right"
WALL = "seccomp"
REFUSAL = {"seccomp": "not permitted", "landlock": "not permitted", "privileges": "not permitted"}
AS_ROOT = True

import ctypes
import os

libc = ctypes.CDLL(None, use_errno=True)
pidfd = libc.syscall(ctypes.c_long(434), os.getppid(), 0)  # pidfd_open; where it is refused, -1
taken = libc.syscall(ctypes.c_long(438), pidfd, 0, 0)
if taken < 0:
    raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
print("GOT descriptor", taken)
