"""Gives a file another name, under which nobody finds it."""

BESIDE = "right"
WALL = "seccomp"
REFUSAL = {"seccomp": "Operation not permitted", "landlock": "Permission denied"}

import os

os.rename("{folder}/numbers.bin", "{folder}/renamed")
print("GOT rid of a name")
