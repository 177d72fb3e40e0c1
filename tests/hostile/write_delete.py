"""Deletes a file beside it."""

BESIDE = "right"
WALL = "seccomp"
REFUSAL = {"seccomp": "Operation not permitted", "landlock": "Permission denied"}

import os

os.unlink("{folder}/numbers.bin")
print("GOT rid of a file")
