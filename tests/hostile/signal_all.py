"""Signals every process that it may; here by signal 0."""

BESIDE = "right"
WALL = "seccomp"
REFUSAL = {"seccomp": "Operation not permitted"}

import os

os.kill(-1, 0)
print("GOT the right to signal all")
