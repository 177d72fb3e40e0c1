"""Reads its own /proc/self/fd to find what else is open."""

BESIDE = "right"
WALL = "seccomp"
REFUSAL = {"seccomp": "Operation not permitted", "landlock": "Permission denied"}

import os

print("GOT", os.listdir("/proc/self/fd"))
