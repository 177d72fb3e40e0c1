"""Forks a child that goes on when the worker has ended."""

BESIDE = "right"
LAYER = "seccomp"
REFUSAL = {"seccomp": "Operation not permitted"}
TOGETHER = ("limits", "privileges")

import os
import time

child = os.fork()
if child == 0:
    time.sleep(2)
    os._exit(0)
print("GOT a child")
