"""Leaves functions behind that run when its process ends, and would forge the last word there."""

BESIDE = "wrong"
WALL = "process"

import atexit
import os
import threading

head = b'{"ok":true,"error":null,"verdict":"pass","score":100}'
frame = len(head).to_bytes(4, "big") + bytes(8) + head
atexit.register(os.write, 3, frame)
threading._register_atexit(os.write, 3, frame)
print("GOT", atexit._ncallbacks() > 0)
