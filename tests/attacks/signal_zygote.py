"""Signals the process that it was forked from; here by signal 0."""

BESIDE = "right"
LAYER = "seccomp"
REFUSAL = {"seccomp": "not permitted", "landlock": "not permitted", "privileges": "not permitted"}

import os

os.kill(os.getppid(), 0)
print("GOT the right to signal the zygote")
