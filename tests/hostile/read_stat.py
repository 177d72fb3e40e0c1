"""Asks whether a file exists and how large it is, which Landlock alone lets through."""

BESIDE = "right"
WALL = "seccomp"
REFUSAL = {"seccomp": "Operation not permitted"}

import os

print("GOT", os.stat("{folder}/secret.txt").st_size)
