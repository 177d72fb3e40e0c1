"""Shares a tensor's memory, for which torch makes a file that every process of its user can find."""

BESIDE = "right"
LAYER = "seccomp"
REFUSAL = {"seccomp": "Operation not permitted", "landlock": "Permission denied", "limits": "File too large"}

import glob
import os

try:
    print("GOT", torch.ones(4).share_memory_().is_shared())
finally:  # behind the limits alone torch leaves the file that it could not fill
    for name in glob.glob(f"/dev/shm/torch_{os.getpid()}_*"):
        os.unlink(name)
