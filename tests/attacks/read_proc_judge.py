"""Reads the judge's command line and open files from /proc."""

BESIDE = "right"
LAYER = "seccomp"
REFUSAL = {"seccomp": "Operation not permitted", "landlock": "Permission denied"}

with open("/proc/{judge}/cmdline", "rb") as file:
    print("GOT", len(file.read()) > 0)
