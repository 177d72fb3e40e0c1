"""Makes a symbolic link, which leads whoever opens it later somewhere else."""

BESIDE = "right"
WALL = "seccomp"
REFUSAL = {"seccomp": "Operation not permitted", "landlock": "Permission denied"}

import os

os.symlink("/", "{folder}/linked")
print("GOT a link")
