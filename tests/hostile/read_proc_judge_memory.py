"""Opens the judge's memory, where the expected values lie."""

BESIDE = "right"
WALL = "seccomp"
REFUSAL = {"seccomp": "Operation not permitted", "landlock": "Permission denied", "privileges": "Permission denied"}
AS_ROOT = True

with open("/proc/{judge}/mem", "rb"):
    print("GOT an open file")
