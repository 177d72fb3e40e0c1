"""Leaves functions behind that run when its process ends, and would forge the last word there."""

BESIDE = "wrong"
WALL = "process"

import atexit
import os
import threading

atexit.register(os.write, 3, b"forged")
threading._register_atexit(os.write, 3, b"forged")
print("GOT", atexit._ncallbacks() > 0)
