"""Runs a program and reads what it prints."""

BESIDE = "right"
WALL = "seccomp"
REFUSAL = {"seccomp": "Operation not permitted", "landlock": "Permission denied"}

import subprocess

print("GOT", subprocess.run(["/bin/echo", "hello"], capture_output=True, timeout=5).stdout)
