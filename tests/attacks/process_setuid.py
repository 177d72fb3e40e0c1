"""Becomes root again."""

BESIDE = "right"
LAYER = "seccomp"
REFUSAL = {"seccomp": "Operation not permitted", "privileges": "Operation not permitted"}
AS_ROOT = True

import os

os.setresuid(1, 1, 0)
os.setresuid(0, 0, 0)
print("GOT", os.getuid())
