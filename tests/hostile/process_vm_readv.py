"""Reads a byte of the memory of the process that it was forked from."""

BESIDE = "right"
WALL = "seccomp"
REFUSAL = {"seccomp": "not permitted", "landlock": "not permitted", "privileges": "not permitted"}
AS_ROOT = True

import ctypes
import os


class Vector(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("length", ctypes.c_size_t)]


libc = ctypes.CDLL(None, use_errno=True)
here = ctypes.create_string_buffer(1)
there = Vector(ctypes.addressof(ctypes.c_char.in_dll(ctypes.pythonapi, "Py_Version")), 1)  # the same address there
into = Vector(ctypes.addressof(here), 1)
if libc.process_vm_readv(os.getppid(), ctypes.byref(into), 1, ctypes.byref(there), 1, 0) != 1:
    raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
print("GOT a byte", here.raw)
