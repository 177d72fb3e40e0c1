"""Signals the judge's process group; here by signal 0."""

BESIDE = "right"
WALL = "seccomp"
REFUSAL = {"seccomp": "not permitted", "landlock": "not permitted", "privileges": "not permitted"}

import os

os.killpg({group}, 0)
print("GOT the right to signal the group")
