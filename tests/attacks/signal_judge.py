"""Signals the judge; here by signal 0, which needs the same right and does nothing."""

BESIDE = "right"
LAYER = "seccomp"
REFUSAL = {"seccomp": "not permitted", "landlock": "not permitted", "privileges": "not permitted"}

import os

os.kill({judge}, 0)
print("GOT the right to signal the judge")
