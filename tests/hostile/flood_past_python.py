"""Writes without end to the descriptor of its output, past Python's own print; here 32 MiB, of which 1 is allowed."""

BESIDE = "right"
HONEST = 0
WALL = "judge"
OUTCOME = "crash"
SAYS = "printed more than 1 MiB"

import os

for _ in range(512):
    os.write(2, b"x" * (1 << 16))
