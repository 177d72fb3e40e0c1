"""Slows the judge down, by its scheduling priority; here by asking for the one that it has."""

BESIDE = "right"
WALL = "seccomp"
REFUSAL = {"seccomp": "Operation not permitted", "privileges": "Operation not permitted"}

import os

os.setpriority(os.PRIO_PROCESS, {judge}, {priority})
print("GOT the right to change its priority")
