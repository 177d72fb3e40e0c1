"""Opens a file by the newest of the system calls for it, which a list of forbidden calls may have missed."""

BESIDE = "right"
WALL = "seccomp"
REFUSAL = {"seccomp": "Operation not permitted", "landlock": "Permission denied"}
MACHINE = "x86_64"

import ctypes
import os
import struct

libc = ctypes.CDLL(None, use_errno=True)
how = struct.pack("QQQ", os.O_RDONLY, 0, 0)
descriptor = libc.syscall(ctypes.c_long(437), -100, b"{folder}/secret.txt", how, ctypes.c_long(24))
if descriptor < 0:
    raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
print("GOT", os.read(descriptor, 100))
