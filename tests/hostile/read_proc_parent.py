"""Reads its parent's status, and so finds the judge."""

BESIDE = "right"
WALL = "seccomp"
REFUSAL = {"seccomp": "Operation not permitted", "landlock": "Permission denied"}

import os

with open(f"/proc/{os.getppid()}/status") as file:
    print("GOT", [line for line in file if line.startswith("PPid")])
