"""Makes a file that has no name, from which a program could be run."""

BESIDE = "right"
WALL = "seccomp"
REFUSAL = {"seccomp": "Operation not permitted"}

import os

print("GOT descriptor", os.memfd_create("hostile"))
