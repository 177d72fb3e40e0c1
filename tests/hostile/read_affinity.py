"""Asks on which cores the judge may run, and so whether there is a process of that number."""

BESIDE = "right"
WALL = "seccomp"
REFUSAL = {"seccomp": "Operation not permitted"}

import os

print("GOT", len(os.sched_getaffinity({judge})))
