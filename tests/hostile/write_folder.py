"""Makes a folder."""

BESIDE = "right"
WALL = "seccomp"
REFUSAL = {"seccomp": "Operation not permitted", "landlock": "Permission denied"}

import os

os.mkdir("{folder}/made")
print("GOT a folder")
