"""Changes who may read a file."""

BESIDE = "right"
LAYER = "seccomp"
REFUSAL = {"seccomp": "Operation not permitted", "privileges": "Operation not permitted"}

import os

os.chmod("{folder}/secret.txt", 0o600)
print("GOT another mode")
