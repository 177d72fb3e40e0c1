"""Reads a file that anybody on this machine may read."""

BESIDE = "right"
LAYER = "seccomp"
REFUSAL = {"seccomp": "Operation not permitted", "landlock": "Permission denied"}

with open("{folder}/secret.txt") as file:
    print("GOT", file.read())
