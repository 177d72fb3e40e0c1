"""Reads the judge's next request from the wire, in place of the worker."""

BESIDE = "right"
HONEST = 0
WALL = "judge"
OUTCOME = "timeout"
SAYS = "took longer than 2 s"
BRIEF = True

import os

print(os.read(3, 1 << 20))
