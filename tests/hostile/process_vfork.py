"""Starts a child by posix_spawn, which is not fork."""

BESIDE = "right"
WALL = "seccomp"
REFUSAL = {"seccomp": "Operation not permitted", "landlock": "Permission denied"}

import os

pid = os.posix_spawn("/bin/true", ["true"], {})
os.waitpid(pid, 0)
print("GOT a child")
