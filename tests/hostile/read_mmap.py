"""Maps a file into memory."""

BESIDE = "right"
WALL = "seccomp"
REFUSAL = {"seccomp": "Operation not permitted", "landlock": "Permission denied"}

import mmap
import os

with mmap.mmap(os.open("{folder}/secret.txt", os.O_RDONLY), 0, prot=mmap.PROT_READ) as mapped:
    print("GOT", mapped[:])
