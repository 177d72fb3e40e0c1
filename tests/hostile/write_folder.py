"""Makes a folder, a symbolic link and another name for a file."""

BESIDE = "right"
WALL = "seccomp"
REFUSAL = {"seccomp": "Operation not permitted", "landlock": "Permission denied"}

import os

os.mkdir("{folder}/made")
os.symlink("/", "{folder}/linked")
os.rename("{folder}/made", "{folder}/renamed")
print("GOT a folder and a link")
