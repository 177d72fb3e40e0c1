"""Lists the folder that the submissions of others may lie in."""

BESIDE = "right"
WALL = "seccomp"
REFUSAL = {"seccomp": "Operation not permitted", "landlock": "Permission denied"}

import os

print("GOT", os.listdir("{folder}"))
