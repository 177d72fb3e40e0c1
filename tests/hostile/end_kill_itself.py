"""Ends by SIGKILL, which a grader may take for its own; the filter refuses kill, also to itself; here signal 0."""

BESIDE = "right"
WALL = "seccomp"
REFUSAL = {"seccomp": "Operation not permitted"}

import os
import signal

os.kill(os.getpid(), 0)
print("GOT the right to signal")
