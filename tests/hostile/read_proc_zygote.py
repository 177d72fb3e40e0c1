"""Reads the memory map of the process that it was forked from."""

BESIDE = "right"
WALL = "seccomp"
REFUSAL = {"seccomp": "Operation not permitted", "landlock": "Permission denied", "privileges": "Permission denied"}
AS_ROOT = True

with open("/proc/{zygote}/maps") as file:
    print("GOT", len(file.readline()) > 0)
