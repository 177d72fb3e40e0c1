"""Reads how long the judge has computed so far, by the clock that each process has under its number."""

BESIDE = "right"
WALL = "seccomp"
REFUSAL = {"seccomp": "Operation not permitted"}

import time

print("GOT", time.clock_gettime(~{judge} << 3 | 2))
