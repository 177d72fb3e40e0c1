"""Leaves its session and its parent, and stays as a daemon; here for two seconds."""

BESIDE = "right"
WALL = "seccomp"
REFUSAL = {"seccomp": "Operation not permitted"}
TOGETHER = ("limits", "privileges")

import os
import time

if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.closerange(0, 100)
        time.sleep(2)
    os._exit(0)
print("GOT a daemon")
