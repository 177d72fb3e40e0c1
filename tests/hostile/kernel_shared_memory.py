"""Makes a piece of System V shared memory, which outlives its process."""

BESIDE = "right"
WALL = "seccomp"
REFUSAL = {"seccomp": "Operation not permitted"}

import ctypes
import os

libc = ctypes.CDLL(None, use_errno=True)
memory = libc.shmget(0, ctypes.c_size_t(4096), 0o1600)
if memory < 0:
    raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
libc.shmctl(memory, 0, None)  # IPC_RMID
print("GOT shared memory")
