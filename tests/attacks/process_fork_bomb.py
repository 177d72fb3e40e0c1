"""Forks as fast as it can; here at most 30 children, which end after a second."""

BESIDE = "right"
LAYER = "seccomp"
REFUSAL = {"seccomp": "Operation not permitted"}
TOGETHER = ("limits", "privileges")

import os
import time

for _ in range(30):
    if os.fork() == 0:
        time.sleep(1)
        os._exit(0)
print("GOT 30 children")
