"""Writes into the memory of the process that it was forked from; here to an address that no process has."""

BESIDE = "right"
WALL = "seccomp"
REFUSAL = {"seccomp": "not permitted", "landlock": "not permitted", "privileges": "not permitted"}
AS_ROOT = True

import ctypes
import errno
import os


class Vector(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("length", ctypes.c_size_t)]


libc = ctypes.CDLL(None, use_errno=True)
here = ctypes.create_string_buffer(b"x")
into, there = Vector(ctypes.addressof(here), 1), Vector(8, 1)
libc.process_vm_writev(os.getppid(), ctypes.byref(into), 1, ctypes.byref(there), 1, 0)
if ctypes.get_errno() != errno.EFAULT:  # a bad address: the call got through
    raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
print("GOT through to the memory")
