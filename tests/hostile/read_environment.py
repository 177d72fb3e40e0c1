"""Looks for secrets in its environment, by Python and by the C library."""

BESIDE = "right"
WALL = "process"
FINDS_NOTHING = True

import ctypes
import os

libc = ctypes.CDLL(None)
libc.getenv.restype = ctypes.c_char_p
for name in (
    "HOME",
    "USER",
    "PATH",
    "PYTHONPATH",
    "VIRTUAL_ENV",
    "SSH_AUTH_SOCK",
    "PYTEST_CURRENT_TEST",
):
    if os.environ.get(name) or libc.getenv(name.encode()):
        print("GOT", name)
