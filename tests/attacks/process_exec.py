"""Becomes another program, which says what it likes."""

BESIDE = "right"
LAYER = "seccomp"
REFUSAL = {"seccomp": "Operation not permitted", "landlock": "Permission denied"}

import os

os.execv("/bin/echo", ["echo", "GOT another program"])
